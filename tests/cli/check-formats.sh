# JUnit, TAP, GitHub, Markdown and JSON of a check with names that would break out of each.
cat >log.csv <<'END'
job_id,user,submit,run_time,cpus
1,"</failure>]]>&""'",0,100,3
2,"a|b`c`",10,50,4
3,%0A::error::x,20,60,1
END
cat >b.json <<'END'
{ "schema": "schedlab.baseline/1", "cases": [
  { "id": "a: 100%, <b> # x", "trace": "log.csv", "set": ["cluster.cpus=4"], "metrics": {
      "wait.mean": { "value": 10, "tol": "+1%" },
      "wait.mean{user=*}": { "tol": "<= 80" },
      "makespan": { "value": 200, "tol": "warn +1%" },
      "wait.max": { "value": 100, "tol": "+5%" } } } ] }
END
schedlab check b.json --junit j.xml --tap t.tap --markdown m.md --github
echo "exit $?"
cat j.xml t.tap m.md
if command -v xmllint >/dev/null; then xmllint --noout j.xml; fi
schedlab check b.json --json
