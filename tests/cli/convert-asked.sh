# What was asked of Slurm as a table's groups: tasks, or equal chunks of nodes where something is asked of a node.
cat >log <<'END'
JobID|Submit|Start|End|State|NCPUS|SubmitLine
1|1000|1000|1060|COMPLETED|4|srun -n4 -c2 --mem-per-cpu=100 a
2|1000|1000|1060|COMPLETED|8|srun -N2 -n8 --gres=gpu:a100:2,mps:5 --mem=500 a
3|1000|1000|1060|COMPLETED|4|srun -n4 --gpus=8 --mem-per-gpu=10 a
4|1000|1000|1060|COMPLETED|4|srun -n4 --gpus=h100:2 a
5|1000|1000|1060|COMPLETED|4|srun -n3 --gpus-per-task=1 --exclusive -N1-3 a
6|1000|1000|1060|COMPLETED|4|srun -n1 : -n2 --gpus-per-task=a100:2 a
END
schedlab convert log table.csv --to table && sed -n '/^job_id/,$p' table.csv | cut -d, -f1,2,12-20
schedlab convert log again.log --to sacct && cut -d'|' -f1,22 again.log
