# SPDX-License-Identifier: GPL-3.0-or-later
# A workflow as a trace: jobs, who waits for whom, a search that stops its losers, and what is told of both.
cat >w.yaml <<'YAML'
workflows:
  - name: w
    at: [0, 100]
    stages:
      - {name: prep, run_time: 20, cpus: 4}
      - name: tune
        needs: prep
        run_time: 100
        cpus: 1
        search:
          trials: [{score: 0.4}, {score: 0.1}, {score: 0.3}, {score: 0.2}]
          rule: sha
          eta: 2
          rung: 10
      - {name: best, needs: {stage: tune, when: any}, run_time: 5, cpus: 4}
YAML
schedlab run w.yaml --quiet --set cluster.cpus=4 -p fcfs --model search --model workflow -o out >/dev/null
cut -d, -f1,5,7,8,15 out/jobs.csv
cat out/search.csv out/workflows.csv
grep '"search\|"workflow' out/metrics.json
# The table that it converts to says the same.
schedlab convert w.yaml w.csv --to table
schedlab run w.csv --quiet --set cluster.cpus=4 -p fcfs --model search -o table >/dev/null
cmp out/search.csv table/search.csv && echo same
# Losers stay where the model is off.
schedlab run w.yaml --quiet --set cluster.cpus=4 -p fcfs -o off >/dev/null
grep -c CANCELLED off/jobs.csv || true
