# SPDX-License-Identifier: GPL-3.0-or-later
# A few rows of each model to the byte, and of those with a table the columns that say something.
for model in downey jann gavel gpu mixture; do
	echo "$model"
	schedlab generate "$model" --jobs 4 --format swf --seed 7 | sed '/^;/d'
done
for model in downey gavel gpu; do
	echo "$model"
	schedlab generate "$model" --jobs 3 --format table --seed 7 -o t.csv --force
	awk -F, '!/^#/ { for (i = 1; i <= NF; i++) { if (!n) name[i] = $i; else if ($i != "") printf "%s=%s ", name[i], $i }
		if (n++) print "" }' t.csv
done
# The header's line makes the file again.
line=$(sed -n 's/^# Note: made by: //p' t.csv)
eval "$line" -o again.csv && cmp again.csv t.csv
# Arrivals of each kind, by their mean gap to the tenth.
for arrivals in poisson weibull gamma cyclic constant; do
	schedlab generate mixture --jobs 20000 --arrivals $arrivals --gap 100 | awk -v how=$arrivals '!/^;/ { last = $2; n++ }
		END { gap = last / n; print how, (gap > 93 && gap < 107) }'
done
# What is wrong.
for wrong in "gavel --jobs 5 extra" "gavel --scale 1" "jann --classes 1:1" "fit" "resample" "gpu --cluster x" "jann --gap 5"; do
	# shellcheck disable=SC2086
	schedlab generate $wrong
	echo "exit $?"
done
