# A dump of sacct with each oddity: what is kept, mended, dropped, and not used.
cp "$DATA/sacct.log" .
schedlab inspect sacct.log | sed '/^  size, in/,$d'
schedlab inspect sacct.log --strict || echo "exit $?"
schedlab run sacct.log --set cluster.cpus=64 --quiet -o out && cut -d, -f1-9 out/jobs.csv
