# The runner of documented commands: what it runs, what it compares, what it leaves out, what it writes.
# Long: it copies the checkout.
command -v python3 >/dev/null || exec cat "$ROOT/tests/cli/docs-run.stdout"
cat >page.md <<'EOF'
# A page

```
$ echo one; cd traces
one
$ ls bundled/lublin-256.swf && seq 5
bundled/lublin-256.swf
...
4
5
$ echo two
three
```

A block of commands alone; this one is of text.

    export WORD=word && printf '%s\n' \
        "$WORD"
    for i in 1 2; do
        test -n "$WORD" || exit 3
    done

```
no command
```

<!-- not run: needs a cluster -->
```
sbatch job.sh
squeue
```

<!-- exit 1 -->
```
$ echo wrong; false
wrong
```

    ls nowhere
EOF
build=$(dirname "$(command -v schedlab)")
"$ROOT/tests/docs/run" "$build" page.md | sed "s|docs [^ ]*page|docs page|; s|/.*/run||"
"$ROOT/tests/docs/run" --accept "$build" page.md | tail -n 1
grep -A1 'echo two' page.md
