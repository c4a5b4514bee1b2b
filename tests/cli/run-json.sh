# --json prints one flat object, and nothing else on stdout.
cp "$DATA/four.swf" .
schedlab run four.swf --json --quiet | grep -E '^[{}]|"(jobs.total|wait.mean|wait.max|makespan)":'
