# sacct -P in any order of columns: names by key, comments and paths gone, numbers and times as they were; texts of
# columns that are not known too, and of rows that do not part into fields.
cat >sacct.txt <<'END'
JobID|User|UID|Account|Partition|State|Submit|Start|Elapsed|ReqTRES|Reason|Secret|JobName|WorkDir
1|alice|5001|physics|gpu,long|COMPLETED|2024-01-01T00:00:00|2024-01-01T00:10:00|1-00:00:00|billing=4,cpu=4|Resources|12.5G|train|/home/alice/x
1.batch|||physics||COMPLETED|2024-01-01T00:00:00|2024-01-01T00:10:00|1-00:00:00||||batch|
2|bob|5002|physics|gpu|CANCELLED by 5001|2024-01-01T00:00:01|Unknown|00:00:00|cpu=1|Dependency|for bob|alice|/home/bob
3|alice|5001|chem|long|FAILED|2024-01-01T00:00:02|None|00:00:00|cpu=1|None|-3|a|b|c|/tmp/alice
4|carol|5003|chem|long|FAILED|2024-01-01T00:00:02|None|00:00:00|cpu=1|None|3|two
lines of carol|/tmp
5|dave|5004|chem
6|alice|5001|chem|long|RUNNING|2024-01-01T00:00:03|2024-01-01T00:00:03|00:00:09|cpu=1|None||x|/
END
printf '0123456789abcdef\n' >site.key
schedlab anonymize sacct.txt -o safe.txt --key site.key && cat safe.txt
grep -n -e alice -e bob -e carol -e dave -e physics -e chem -e 500 -e gpu -e long -e train -e home safe.txt || echo clean
# With one text that can have a '|', all of it is that.
printf 'JobID|JobName|User\n1|a|b|alice\n2|a|bob\n' >one.txt
schedlab anonymize one.txt -o - --key site.key
# With several, the numbers between them say whose each piece is.
printf 'JobName|JobID|NCPUS|Constraints|End|SubmitLine|ExitCode\na|b|7|4|x|y|2024-01-01T00:00:00|sbatch x | tee y|0:0\n' >many.txt
schedlab anonymize many.txt -o - --key site.key
# The same key, the same names, in another file and order; partitions stay if asked.
printf 'user|jobid|partition|jobname\r\nbob|9|gpu|train\r\nalice|8|long|x\r\n' >other.txt
schedlab anonymize other.txt -o - --key site.key --keep-partitions
gzip -c other.txt | schedlab anonymize - -o - --key site.key --quiet 2>/dev/null || echo "exit $?"
printf 'fedcba9876543210\n' >other.key
schedlab anonymize other.txt -o - --key other.key 2>/dev/null | cmp -s - safe.txt || echo different
