# Curves as the tests read them, from what a probe measured: slexplore probe latency tlb line --format csv | awk -f from-csv.awk
# What is known of the machine is added by hand: see the files beside this.

function pages(setting) {
	return match(setting, /pages=[a-z0-9]+/) ? substr(setting, RSTART + 6, RLENGTH - 6) : "auto"
}

BEGIN {
	FS = ","
	what["latency"] = "lines"
	what["tlb"] = "pages"
	what["line"] = "pairs"
}
{ gsub(/"[^"]*"/, "quoted") }
NR == 1 {
	for (i = 1; i <= NF; i++)
		at[$i] = i
	next
}
!($at["part"] in what) || $at["cpe"] == "" { next }
{
	curve = what[$at["part"]] " " pages($at["setting"])
	if (!(curve in points))
		order[++curves] = curve
	# The probe writes each curve in ascending order.
	points[curve] = points[curve] sprintf("%d %.4g %.4g %.4g%s%s\n", $at["x"], $at["cpe"], $at["cpe_lo"], $at["cpe_hi"],
		$at["contended"] == "true" ? " contended" : "",
		$at["modes"] == 2 ? sprintf(" modes %.4g %.4g %.2g", $at["mode_low"], $at["mode_high"], $at["mode_share_low"]) : "")
	got[curve] = $at["pages"]
	if ($at["part"] == "latency" && !ghz)
		ghz = $at["ghz"]
}
END {
	printf "ghz %.3f\n", ghz
	for (i = 1; i <= curves; i++)
		printf "curve %s %s\n%s", order[i], got[order[i]], points[order[i]]
}
