# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=bash
# progress.sh - sourced by quickstart: one line with a bar and an estimate of what is left.
# On a terminal the line is redrawn; elsewhere each quarter of the way is a line.
#
#   progress_begin SECONDS...       the phases' lengths on a machine of two cores; they only weigh the phases
#   progress_phase NAME             the next phase begins
#   progress_at PERCENT             how far the phase is; never goes back
#   progress_end                    all is done

# The estimate scales these lengths by the time that the part behind took here.
progress_begin() {
  progress_lengths=("$@") progress_index=-1 progress_start=$EPOCHREALTIME progress_shown='' progress_total=0 progress_behind=0
  local length
  for length in "$@"; do progress_total=$((progress_total + length)); done
}

progress_phase() {
  [ "$progress_index" -lt 0 ] || progress_behind=$((progress_behind + progress_lengths[progress_index]))
  progress_index=$((progress_index + 1)) progress_name=$1 progress_percent=-1
  progress_at 0
}

progress_at() {
  [ "$1" -gt "$progress_percent" ] || return 0
  progress_percent=$1
  # In hundredths of a reference second.
  local done_now=$((progress_behind * 100 + progress_lengths[progress_index] * progress_percent))
  local share=$((progress_total > 0 ? done_now / progress_total : 100)) left=''
  local elapsed=$(((${EPOCHREALTIME/[.,]/} - ${progress_start/[.,]/}) / 10000)) # hundredths of a second
  # Too little says nothing of this machine's speed.
  if [ "$share" -ge 5 ] && [ "$share" -lt 100 ]; then
    left=$(progress_left $((elapsed * (progress_total * 100 - done_now) / done_now / 100)))
  fi
  progress_draw "$share" "$left"
}

# progress_left SECONDS: in steps that an estimate can keep.
progress_left() {
  if [ "$1" -ge 90 ]; then
    echo "about $((($1 + 30) / 60)) min left"
  elif [ "$1" -ge 10 ]; then
    echo "about $((($1 + 5) / 10 * 10)) s left"
  else
    echo "a few seconds left"
  fi
}

progress_draw() {
  local share=$1 left=$2 bar='' cell
  local label
  label=$(printf '[%d/%d] %-10s' $((progress_index + 1)) ${#progress_lengths[@]} "$progress_name")
  if [ -t 1 ]; then
    for ((cell = 0; cell < 25; ++cell)); do
      if [ $((cell * 4)) -lt "$share" ]; then bar+='█'; else bar+='░'; fi
    done
    printf '\r\033[K%s %s %3d %%  %s' "$label" "$bar" "$share" "$left"
  elif [ "$progress_shown" != "$progress_index:$((progress_percent / 25))" ]; then
    progress_shown=$progress_index:$((progress_percent / 25))
    printf '%s %3d %%  %s\n' "$label" "$share" "$left"
  fi
}

progress_end() {
  [ ! -t 1 ] || printf '\r\033[K'
}
