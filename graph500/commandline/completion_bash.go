package commandline

import (
	"fmt"
	"strings"
)

const bashTemplate = `# Completion of graph500 for bash, made by "graph500 completion bash".
_graph500() {
	local line=${COMP_LINE:0:COMP_POINT} command= flags= words= source=() current value
	current=${line##*[[:space:]]}
	value=$current
	((COMP_CWORD < 2)) || [[ ${COMP_WORDS[1]} == -* ]] || command=${COMP_WORDS[1]}
	COMPREPLY=()
	case $command in
%s	esac
	if [[ $current == -*=* ]]; then
		value=${current#*=}
		current=${current/#--/-}
		case "$command ${current%%%%=*}" in
%s		esac
		((${#source[@]})) || return
		mapfile -t COMPREPLY < <(compgen "${source[@]}" -- "$value")
		[[ $COMP_WORDBREAKS == *=* ]] || COMPREPLY=("${COMPREPLY[@]/#/${current%%%%=*}=}")
		return
	fi
	if [[ $current == -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$flags" -- "${current/#--/-}")
		[[ ${COMPREPLY[0]-} != *= ]] || compopt -o nospace
	elif [[ -n $words ]]; then
		((COMP_CWORD > 1)) && [[ -z $command ]] || mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
	else
		mapfile -t COMPREPLY < <(compgen -f -- "$current")
		compopt -o filenames
	fi
}
complete -F _graph500 graph500
`

// bashCompletion returns a function for bash. It does not need the package
// bash-completion.
func bashCompletion(commands []completable) string {
	var lists, values strings.Builder
	for _, c := range commands {
		var names []string
		for _, f := range c.flags {
			name := "-" + f.name
			if f.argument != "" {
				name += "="
			}
			names = append(names, name)
			if source := bashSource(f); source != "" {
				fmt.Fprintf(&values, "\t\t%s) source=(%s) ;;\n", quoted(c.name+" -"+f.name), source)
			}
		}
		fmt.Fprintf(&lists, "\t%s) flags=%s words=%s ;;\n", quoted(c.name), quoted(strings.Join(names, " ")), quoted(strings.Join(c.words, " ")))
	}
	return fmt.Sprintf(bashTemplate, lists.String(), values.String())
}

// bashSource returns the arguments of compgen for the values of a flag, or "" if they are
// unknown.
func bashSource(f completableFlag) string {
	switch {
	case f.words != nil:
		return "-W " + quoted(strings.Join(f.words, " "))
	case f.takesDir():
		return "-d"
	case f.takesFile():
		return "-f"
	}
	return ""
}
