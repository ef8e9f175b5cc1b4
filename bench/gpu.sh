#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# All that needs an NVIDIA GPU, in one go: the tests that skip without one, then the suites, whose tables and JSON lines
# lie in the folder that is named (build/gpu).
#
#   bench/gpu.sh [FOLDER] [--quick]   --quick: 6 s of tuning a case, fewer cases, for a first look
#   bench/gpu.sh --kit FOLDER         puts this script and the programs it runs into FOLDER: a machine that has only a
#                                     driver, NVRTC, cuBLAS and cuDNN runs FOLDER/gpu.sh
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

# make_kit FOLDER: builds and copies the programs, and the shared libraries that Debian's packages have
make_kit() {
  local root=$here/.. kit=$1 library
  "$root/dev" build gcc release
  mkdir -p "$kit/lib"
  cp "$here/gpu.sh" "$root/build/release/bench/ttune-bench-gpu" "$root/build/release/backends/ttune-worker" \
    "$root/build/gcc/tests/test-unit-cuda" "$kit"
  strip "$kit/ttune-bench-gpu" "$kit/ttune-worker" "$kit/test-unit-cuda"
  library=$(ldconfig -p | awk '/libxgboost.so.0 / {print $NF; exit}')
  for file in "$library" $(ldd "$library" | awk '/libgomp|libdmlc/ {print $3}'); do cp -L "$file" "$kit/lib"; done
  du -sh "$kit"
}

# find_libraries: where the toolkit's libraries are in no folder that the loader knows, as in Python's packages
find_libraries() {
  local name file folders=$here/lib
  for name in libnvrtc.so.13 libcublas.so.13 libcublasLt.so.13 libcudnn.so.9; do
    ldconfig -p | grep -q "$name" && continue
    file=$(find /usr/local /usr/lib /opt -name "$name" 2>/dev/null | head -1)
    [ -z "$file" ] || folders+=:$(dirname "$file")
    [ "$name" != libnvrtc.so.13 ] || export TTUNE_NVRTC_LIBRARY=$file
  done
  export LD_LIBRARY_PATH=$folders${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
}

out=build/gpu seconds=120 quick=
while [ $# -gt 0 ]; do
  case $1 in
    --kit) make_kit "$2"; exit ;;
    --quick) quick=yes seconds=6 ;;
    -*) echo "gpu.sh: no option $1" >&2; exit 2 ;;
    *) out=$1 ;;
  esac
  shift
done
mkdir -p "$out"

if ! nvidia-smi --query-gpu=name,driver_version,clocks.max.sm --format=csv,noheader | tee "$out/device.txt"; then
  echo "gpu.sh: no NVIDIA GPU answers: nothing to measure"
  exit 77
fi

if [ -x "$here/ttune-bench-gpu" ]; then
  find_libraries
  export TTUNE_WORKER_PROGRAM=$here/ttune-worker
  run_tests() { TTUNE_REQUIRE=cuda,nvrtc TTUNE_PROGRAMS=60 "$here/test-unit-cuda" -tce="*fake*,cuda: kernels use*"; }
  run_bench() { "$here/ttune-bench-gpu" "$@"; }
else
  cd "$here/.."
  run_tests() { TTUNE_REQUIRE=cuda,nvrtc ./dev test --gcc unit; }
  run_bench() { ./dev bench "$@"; }
fi

status=0
run_tests 2>&1 | tee "$out/tests.txt" || status=1
# run SUITE MODE [ARGUMENTS]: as cuDNN's best, convolutions may be Winograd's
run() {
  local suite=$1 mode=$2
  shift 2
  run_bench "$suite" --mode "$mode" --numerics 2.5 --budget "$seconds" --json "$out/$suite.json" "$@" 2>&1 |
    tee "$out/$suite-$mode.txt" || status=1
}
sizes=${quick:+--case=1024x1024x1024,4096x4096x4096}
for mode in f32 tf32 f16 f16_mma bf16; do run gpu-gemm "$mode" ${sizes:+--case "${sizes#--case=}"}; done
for mode in f32 tf32; do run gpu-conv "$mode" ${quick:+--case C2,C5,C7,C8,C12}; done
for mode in f32 tf32; do run gpu-fused "$mode"; done
[ -n "$quick" ] || run_bench gpu-report --trials 2000 --budget 600 2>&1 | tee "$out/gpu-report.txt" || status=1
exit $status
