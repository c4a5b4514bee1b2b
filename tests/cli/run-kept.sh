# Cores that are kept are for no job, however it is placed; CPUs alone are one socket for Slurm's placement.
cat >slurm.conf <<'END'
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
NodeName=n1 CPUs=32 CoreSpecCount=2 RealMemory=1000 MemSpecLimit=100
NodeName=n2 CPUs=4 RealMemory=5 State=DRAIN
PartitionName=p Nodes=ALL Default=YES
END
cat >log <<'END'
JobID|Submit|Start|End|ElapsedRaw|TimelimitRaw|State|SubmitLine
1|1000|1000|1100|100|10|COMPLETED|srun -n31 --mem=10 x
2|1000|1000|1100|100|10|COMPLETED|srun -n30 --mem=10 x
3|1000|1000|1100|100|10|COMPLETED|srun -n1 --mem=950 x
4|1000|1000|1100|100|10|COMPLETED|srun -n1 --mem=900 x
5|1000|1000|1100|100|10|COMPLETED|srun -N1 --exclusive --mem=0 x
END
schedlab run log -c slurm.conf -p easy --quiet --only jobs -o easy && cut -d, -f1,5,7 easy/jobs.csv
schedlab run log -c slurm.conf -p easy:place=slurm --quiet --only jobs -o slurm && cut -d, -f1,5,7 slurm/jobs.csv
schedlab inspect log -c slurm.conf | grep -e "^  down" -e machine
