# Completion of slexplore for fish.
complete -c slexplore -a '(slexplore complete -- (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)'
