declare <16 x float> @llvm.arithmetic.fence.v16f32(<16 x float>)

define void @ttune_main(ptr %operands, ptr %runtime, ptr %workspace) #0 {
entry:
  %local = getelementptr i8, ptr %workspace, i64 0
  %v0 = getelementptr ptr, ptr %operands, i64 0
  %v1 = load ptr, ptr %v0, align 8
  %v74 = getelementptr ptr, ptr %operands, i64 1
  %v75 = load ptr, ptr %v74, align 8
  %v2 = load <16 x float>, ptr %v1, align 4
  %v4 = getelementptr float, ptr %v1, i64 16
  %v5 = load <16 x float>, ptr %v4, align 4
  %v7 = getelementptr float, ptr %v1, i64 32
  %v8 = load <16 x float>, ptr %v7, align 4
  %v10 = getelementptr float, ptr %v1, i64 48
  %v11 = load <16 x float>, ptr %v10, align 4
  %v13 = getelementptr float, ptr %v1, i64 64
  %v14 = load <16 x float>, ptr %v13, align 4
  %v16 = getelementptr float, ptr %v1, i64 80
  %v17 = load <16 x float>, ptr %v16, align 4
  %v19 = getelementptr float, ptr %v1, i64 96
  %v20 = load <16 x float>, ptr %v19, align 4
  %v22 = getelementptr float, ptr %v1, i64 112
  %v23 = load <16 x float>, ptr %v22, align 4
  %v25 = shufflevector <16 x float> %v2, <16 x float> %v8, <16 x i32> <i32 0, i32 16, i32 1, i32 17, i32 4, i32 20, i32 5, i32 21, i32 8, i32 24, i32 9, i32 25, i32 12, i32 28, i32 13, i32 29>
  %v26 = call <16 x float> @llvm.arithmetic.fence.v16f32(<16 x float> %v25)
  %v27 = shufflevector <16 x float> %v2, <16 x float> %v8, <16 x i32> <i32 2, i32 18, i32 3, i32 19, i32 6, i32 22, i32 7, i32 23, i32 10, i32 26, i32 11, i32 27, i32 14, i32 30, i32 15, i32 31>
  %v28 = call <16 x float> @llvm.arithmetic.fence.v16f32(<16 x float> %v27)
  %v29 = shufflevector <16 x float> %v5, <16 x float> %v11, <16 x i32> <i32 0, i32 16, i32 1, i32 17, i32 4, i32 20, i32 5, i32 21, i32 8, i32 24, i32 9, i32 25, i32 12, i32 28, i32 13, i32 29>
  %v30 = call <16 x float> @llvm.arithmetic.fence.v16f32(<16 x float> %v29)
  %v31 = shufflevector <16 x float> %v5, <16 x float> %v11, <16 x i32> <i32 2, i32 18, i32 3, i32 19, i32 6, i32 22, i32 7, i32 23, i32 10, i32 26, i32 11, i32 27, i32 14, i32 30, i32 15, i32 31>
  %v32 = call <16 x float> @llvm.arithmetic.fence.v16f32(<16 x float> %v31)
  %v33 = shufflevector <16 x float> %v14, <16 x float> %v20, <16 x i32> <i32 0, i32 16, i32 1, i32 17, i32 4, i32 20, i32 5, i32 21, i32 8, i32 24, i32 9, i32 25, i32 12, i32 28, i32 13, i32 29>
  %v34 = call <16 x float> @llvm.arithmetic.fence.v16f32(<16 x float> %v33)
  %v35 = shufflevector <16 x float> %v14, <16 x float> %v20, <16 x i32> <i32 2, i32 18, i32 3, i32 19, i32 6, i32 22, i32 7, i32 23, i32 10, i32 26, i32 11, i32 27, i32 14, i32 30, i32 15, i32 31>
  %v36 = call <16 x float> @llvm.arithmetic.fence.v16f32(<16 x float> %v35)
  %v37 = shufflevector <16 x float> %v17, <16 x float> %v23, <16 x i32> <i32 0, i32 16, i32 1, i32 17, i32 4, i32 20, i32 5, i32 21, i32 8, i32 24, i32 9, i32 25, i32 12, i32 28, i32 13, i32 29>
  %v38 = call <16 x float> @llvm.arithmetic.fence.v16f32(<16 x float> %v37)
  %v39 = shufflevector <16 x float> %v17, <16 x float> %v23, <16 x i32> <i32 2, i32 18, i32 3, i32 19, i32 6, i32 22, i32 7, i32 23, i32 10, i32 26, i32 11, i32 27, i32 14, i32 30, i32 15, i32 31>
  %v40 = call <16 x float> @llvm.arithmetic.fence.v16f32(<16 x float> %v39)
  %v41 = shufflevector <16 x float> %v26, <16 x float> %v30, <16 x i32> <i32 0, i32 16, i32 1, i32 17, i32 4, i32 20, i32 5, i32 21, i32 8, i32 24, i32 9, i32 25, i32 12, i32 28, i32 13, i32 29>
  %v42 = call <16 x float> @llvm.arithmetic.fence.v16f32(<16 x float> %v41)
  %v43 = shufflevector <16 x float> %v26, <16 x float> %v30, <16 x i32> <i32 2, i32 18, i32 3, i32 19, i32 6, i32 22, i32 7, i32 23, i32 10, i32 26, i32 11, i32 27, i32 14, i32 30, i32 15, i32 31>
  %v44 = call <16 x float> @llvm.arithmetic.fence.v16f32(<16 x float> %v43)
  %v45 = shufflevector <16 x float> %v28, <16 x float> %v32, <16 x i32> <i32 0, i32 16, i32 1, i32 17, i32 4, i32 20, i32 5, i32 21, i32 8, i32 24, i32 9, i32 25, i32 12, i32 28, i32 13, i32 29>
  %v46 = call <16 x float> @llvm.arithmetic.fence.v16f32(<16 x float> %v45)
  %v47 = shufflevector <16 x float> %v28, <16 x float> %v32, <16 x i32> <i32 2, i32 18, i32 3, i32 19, i32 6, i32 22, i32 7, i32 23, i32 10, i32 26, i32 11, i32 27, i32 14, i32 30, i32 15, i32 31>
  %v48 = call <16 x float> @llvm.arithmetic.fence.v16f32(<16 x float> %v47)
  %v49 = shufflevector <16 x float> %v34, <16 x float> %v38, <16 x i32> <i32 0, i32 16, i32 1, i32 17, i32 4, i32 20, i32 5, i32 21, i32 8, i32 24, i32 9, i32 25, i32 12, i32 28, i32 13, i32 29>
  %v50 = call <16 x float> @llvm.arithmetic.fence.v16f32(<16 x float> %v49)
  %v51 = shufflevector <16 x float> %v34, <16 x float> %v38, <16 x i32> <i32 2, i32 18, i32 3, i32 19, i32 6, i32 22, i32 7, i32 23, i32 10, i32 26, i32 11, i32 27, i32 14, i32 30, i32 15, i32 31>
  %v52 = call <16 x float> @llvm.arithmetic.fence.v16f32(<16 x float> %v51)
  %v53 = shufflevector <16 x float> %v36, <16 x float> %v40, <16 x i32> <i32 0, i32 16, i32 1, i32 17, i32 4, i32 20, i32 5, i32 21, i32 8, i32 24, i32 9, i32 25, i32 12, i32 28, i32 13, i32 29>
  %v54 = call <16 x float> @llvm.arithmetic.fence.v16f32(<16 x float> %v53)
  %v55 = shufflevector <16 x float> %v36, <16 x float> %v40, <16 x i32> <i32 2, i32 18, i32 3, i32 19, i32 6, i32 22, i32 7, i32 23, i32 10, i32 26, i32 11, i32 27, i32 14, i32 30, i32 15, i32 31>
  %v56 = call <16 x float> @llvm.arithmetic.fence.v16f32(<16 x float> %v55)
  %v57 = shufflevector <16 x float> %v42, <16 x float> %v50, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11, i32 16, i32 17, i32 18, i32 19, i32 24, i32 25, i32 26, i32 27>
  %v58 = call <16 x float> @llvm.arithmetic.fence.v16f32(<16 x float> %v57)
  %v59 = shufflevector <16 x float> %v42, <16 x float> %v50, <16 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15, i32 20, i32 21, i32 22, i32 23, i32 28, i32 29, i32 30, i32 31>
  %v60 = call <16 x float> @llvm.arithmetic.fence.v16f32(<16 x float> %v59)
  %v61 = shufflevector <16 x float> %v44, <16 x float> %v52, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11, i32 16, i32 17, i32 18, i32 19, i32 24, i32 25, i32 26, i32 27>
  %v62 = call <16 x float> @llvm.arithmetic.fence.v16f32(<16 x float> %v61)
  %v63 = shufflevector <16 x float> %v44, <16 x float> %v52, <16 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15, i32 20, i32 21, i32 22, i32 23, i32 28, i32 29, i32 30, i32 31>
  %v64 = call <16 x float> @llvm.arithmetic.fence.v16f32(<16 x float> %v63)
  %v65 = shufflevector <16 x float> %v46, <16 x float> %v54, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11, i32 16, i32 17, i32 18, i32 19, i32 24, i32 25, i32 26, i32 27>
  %v66 = call <16 x float> @llvm.arithmetic.fence.v16f32(<16 x float> %v65)
  %v67 = shufflevector <16 x float> %v46, <16 x float> %v54, <16 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15, i32 20, i32 21, i32 22, i32 23, i32 28, i32 29, i32 30, i32 31>
  %v68 = call <16 x float> @llvm.arithmetic.fence.v16f32(<16 x float> %v67)
  %v69 = shufflevector <16 x float> %v48, <16 x float> %v56, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11, i32 16, i32 17, i32 18, i32 19, i32 24, i32 25, i32 26, i32 27>
  %v70 = call <16 x float> @llvm.arithmetic.fence.v16f32(<16 x float> %v69)
  %v71 = shufflevector <16 x float> %v48, <16 x float> %v56, <16 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15, i32 20, i32 21, i32 22, i32 23, i32 28, i32 29, i32 30, i32 31>
  %v72 = call <16 x float> @llvm.arithmetic.fence.v16f32(<16 x float> %v71)
  %v73 = shufflevector <16 x float> %v58, <16 x float> undef, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  store <8 x float> %v73, ptr %v75, align 4
  %v76 = shufflevector <16 x float> %v62, <16 x float> undef, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %v77 = getelementptr float, ptr %v75, i64 8
  store <8 x float> %v76, ptr %v77, align 4
  %v78 = shufflevector <16 x float> %v66, <16 x float> undef, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %v79 = getelementptr float, ptr %v75, i64 16
  store <8 x float> %v78, ptr %v79, align 4
  %v80 = shufflevector <16 x float> %v70, <16 x float> undef, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %v81 = getelementptr float, ptr %v75, i64 24
  store <8 x float> %v80, ptr %v81, align 4
  %v82 = shufflevector <16 x float> %v60, <16 x float> undef, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %v83 = getelementptr float, ptr %v75, i64 32
  store <8 x float> %v82, ptr %v83, align 4
  %v84 = shufflevector <16 x float> %v64, <16 x float> undef, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %v85 = getelementptr float, ptr %v75, i64 40
  store <8 x float> %v84, ptr %v85, align 4
  %v86 = shufflevector <16 x float> %v68, <16 x float> undef, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %v87 = getelementptr float, ptr %v75, i64 48
  store <8 x float> %v86, ptr %v87, align 4
  %v88 = shufflevector <16 x float> %v72, <16 x float> undef, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %v89 = getelementptr float, ptr %v75, i64 56
  store <8 x float> %v88, ptr %v89, align 4
  %v90 = shufflevector <16 x float> %v58, <16 x float> undef, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %v91 = getelementptr float, ptr %v75, i64 64
  store <8 x float> %v90, ptr %v91, align 4
  %v92 = shufflevector <16 x float> %v62, <16 x float> undef, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %v93 = getelementptr float, ptr %v75, i64 72
  store <8 x float> %v92, ptr %v93, align 4
  %v94 = shufflevector <16 x float> %v66, <16 x float> undef, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %v95 = getelementptr float, ptr %v75, i64 80
  store <8 x float> %v94, ptr %v95, align 4
  %v96 = shufflevector <16 x float> %v70, <16 x float> undef, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %v97 = getelementptr float, ptr %v75, i64 88
  store <8 x float> %v96, ptr %v97, align 4
  %v98 = shufflevector <16 x float> %v60, <16 x float> undef, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %v99 = getelementptr float, ptr %v75, i64 96
  store <8 x float> %v98, ptr %v99, align 4
  %v100 = shufflevector <16 x float> %v64, <16 x float> undef, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %v101 = getelementptr float, ptr %v75, i64 104
  store <8 x float> %v100, ptr %v101, align 4
  %v102 = shufflevector <16 x float> %v68, <16 x float> undef, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %v103 = getelementptr float, ptr %v75, i64 112
  store <8 x float> %v102, ptr %v103, align 4
  %v104 = shufflevector <16 x float> %v72, <16 x float> undef, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %v105 = getelementptr float, ptr %v75, i64 120
  store <8 x float> %v104, ptr %v105, align 4
  ret void
}


attributes #0 = { nounwind "no-builtins" "prefer-vector-width"="512" "min-legal-vector-width"="512" }
