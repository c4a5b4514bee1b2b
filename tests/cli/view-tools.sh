# Links by the tools' names, with run and moment from the environment; relative inputs are found from above the run.
. "$ROOT/tests/data/view-world.sh"
schedlab view --install bin out | sed "s|$PWD|.|"
ls bin
mkdir elsewhere taken
cd elsewhere
export SCHEDLAB_RUN="$PWD/../out" SCHEDLAB_AT=2026-01-12T09:06
../bin/squeue -h
../bin/sinfo -h -o '%t %D'
../bin/sacct -n -X -o jobid,state -s R
../bin/scontrol -o show job 2 | cut -c1-40
SCHEDLAB_AT=end ../bin/sinfo -h
cd ../out && schedlab view sinfo . -h
cd ..
unset SCHEDLAB_RUN SCHEDLAB_AT
schedlab view --install bin >again && echo again
echo mine >taken/sinfo
schedlab view --install taken || echo "exit $?"
cat taken/sinfo
echo '-- refused'
bin/squeue --nonsense || echo "exit $?"
bin/sinfo -Q || echo "exit $?"
bin/squeue || echo "exit $?"
schedlab view squeue out || echo "exit $?"
schedlab view squeue out --at noon || echo "exit $?"
schedlab view squeue out --at 6m -t nonsense || echo "exit $?"
schedlab view squeue out --at 6m -S '!' || echo "exit $?"
schedlab view sacct out -o nonsense || echo "exit $?"
schedlab view sinfo out --at 6m -t nonsense || echo "exit $?"
schedlab view squeu out || echo "exit $?"
schedlab view squeue nowhere --at 1 || echo "exit $?"
schedlab view || echo "exit $?"
