# SPDX-License-Identifier: GPL-3.0-or-later
# A bundle as one file: the same bytes whenever, wherever and by whomever it is made; and what is no bundle.
printf 'job_id,submit,run_time,cpus,user\n1,0,100,4,ada\n2,1,100,4,bob\n3,2,50,2,ada\n' >t.csv
schedlab run t.csv --set cluster.cpus=8 -o out --quiet >/dev/null
schedlab bundle out -o paper.tar.gz
mkdir later
(umask 077 && cp -r out t.csv later && find later -exec touch -d '2001-02-03' {} + && cd later && TZ=Asia/Tokyo schedlab bundle out -o paper.tar.gz -q)
cmp paper.tar.gz later/paper.tar.gz && echo 'the same bytes'
for suffix in tar tgz tar.xz tar.zst; do
	schedlab bundle out -o "p.$suffix" -q && schedlab bundle --verify "p.$suffix"
done
tar -tf p.tar
tar -tvf p.tar | awk '{ print $1, $2 }' | sort -u
tar -xf paper.tar.gz && (cd paper && sh run.sh -q)
SOURCE_DATE_EPOCH=1000000000 schedlab bundle out -o dated.tar -q
TZ=UTC tar -tvf dated.tar | awk '{ print $4, $5 }' | sort -u
schedlab bundle --verify paper.tar.gz --json
schedlab bundle out -o json.tar --json | python3 -c 'import json, sys; b = json.load(sys.stdin); print(b["bundle"], b["written"], [f["path"] for f in b["files"]])'
# What is no bundle: cut off, none at all, links, names that lead out, two folders.
head -c 700 paper.tar.gz >cut.tar.gz
echo text >text.tar.gz
mkdir -p bad && cp -r paper/. bad
ln -s /etc/passwd bad/link
tar -cf link.tar bad
rm bad/link
tar -cf out.tar --transform 's,^bad/t.csv,bad/../../t.csv,' -P bad
tar -cf two.tar bad paper
mkdir -p empty && tar -cf empty.tar empty
for file in cut.tar.gz text.tar.gz link.tar out.tar two.tar empty.tar none.tar; do
	schedlab bundle --verify $file
	echo "exit $?"
done
schedlab bundle out -o paper.tar.gz
echo "exit $?"
ls
