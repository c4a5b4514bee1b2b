# sacct: records, widths and their '+', parsable texts as the tools that call it ask for them, and what is selected.
. "$ROOT/tests/data/view-world.sh"
schedlab view sacct out
schedlab view sacct out --at 6m -X -o jobid%-5,user%2,state,elapsed,timelimit%12,nodelist
echo '-- as reportseff, XDMoD and slurmacct call it'
schedlab view sacct out --parsable -n '--delimiter=^|^' --format=JobID,JobIDRaw,State,AdminComment,TotalCPU,AllocCPUS,Elapsed,ReqMem,NNodes,MaxRSS,NTasks,Timelimit -j 1,2
schedlab view sacct out --parsable2 --noheader --allocations --duplicates --format jobid,jobidraw,cluster,partition,qos,account,group,gid,user,uid,submit,eligible,start,end,elapsed,exitcode,state,nnodes,ncpus,reqcpus,reqmem,reqtres,alloctres,timelimit,nodelist,jobname --starttime 2026-01-12T00:00:00 --endtime 2026-01-13T00:00:00
schedlab view sacct out -npX -S 2026-01-12T09:30 -E 2026-01-12T11:00 -o JobID,User,ElapsedRaw,AllocCPUS,CPUTimeRAW,TimelimitRaw -s CD
echo '-- waiting and running, at 09:06'
schedlab view sacct out --at 2026-01-12T09:06 -P -o jobid,start,end,state,planned,reason,alloctres,nodelist,priority
echo '-- filters'
for options in '-u bob' '-A phys' '-r batch' '-s R' '-s PD,CD' '-S 2026-01-12T09:08' '-E 2026-01-12T09:00:15' '-N n4' '-S now-1minutes'; do
	echo "$options: $(schedlab view sacct out --at 6m -nP -o jobid $options | tr '\n' ' ')"
done
schedlab view sacct out -b -n | head -n 2
schedlab view sacct --helpformat | sed -n 1,4p
