# A trace that does not say how large its machine was: exit 3 and what to do, which works.
cp "$DATA/no-header.swf" .
schedlab run no-header.swf
echo "exit $?"
schedlab run no-header.swf --set cluster.cpus=8 --quiet >/dev/null
echo "exit $?"
schedlab run no-header.swf --set cluster.cpus=none
echo "exit $?"
echo ClusterName=x >slurm.conf
schedlab run no-header.swf -c slurm.conf
echo "exit $?"
schedlab run no-header.swf -c .
echo "exit $?"
schedlab run no-header.swf --set cluster.cpus=8 --from 2001-01-01
echo "exit $?"
