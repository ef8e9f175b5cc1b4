
define void @ttune_main(ptr %operands, ptr %runtime, ptr %workspace) #0 {
entry:
  %local = getelementptr i8, ptr %workspace, i64 0
  %v0 = getelementptr ptr, ptr %operands, i64 0
  %v1 = load ptr, ptr %v0, align 8
  %v50 = getelementptr ptr, ptr %operands, i64 1
  %v51 = load ptr, ptr %v50, align 8
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
  %v26 = shufflevector <16 x float> %v2, <16 x float> %v8, <16 x i32> <i32 2, i32 18, i32 3, i32 19, i32 6, i32 22, i32 7, i32 23, i32 10, i32 26, i32 11, i32 27, i32 14, i32 30, i32 15, i32 31>
  %v27 = shufflevector <16 x float> %v5, <16 x float> %v11, <16 x i32> <i32 0, i32 16, i32 1, i32 17, i32 4, i32 20, i32 5, i32 21, i32 8, i32 24, i32 9, i32 25, i32 12, i32 28, i32 13, i32 29>
  %v28 = shufflevector <16 x float> %v5, <16 x float> %v11, <16 x i32> <i32 2, i32 18, i32 3, i32 19, i32 6, i32 22, i32 7, i32 23, i32 10, i32 26, i32 11, i32 27, i32 14, i32 30, i32 15, i32 31>
  %v29 = shufflevector <16 x float> %v14, <16 x float> %v20, <16 x i32> <i32 0, i32 16, i32 1, i32 17, i32 4, i32 20, i32 5, i32 21, i32 8, i32 24, i32 9, i32 25, i32 12, i32 28, i32 13, i32 29>
  %v30 = shufflevector <16 x float> %v14, <16 x float> %v20, <16 x i32> <i32 2, i32 18, i32 3, i32 19, i32 6, i32 22, i32 7, i32 23, i32 10, i32 26, i32 11, i32 27, i32 14, i32 30, i32 15, i32 31>
  %v31 = shufflevector <16 x float> %v17, <16 x float> %v23, <16 x i32> <i32 0, i32 16, i32 1, i32 17, i32 4, i32 20, i32 5, i32 21, i32 8, i32 24, i32 9, i32 25, i32 12, i32 28, i32 13, i32 29>
  %v32 = shufflevector <16 x float> %v17, <16 x float> %v23, <16 x i32> <i32 2, i32 18, i32 3, i32 19, i32 6, i32 22, i32 7, i32 23, i32 10, i32 26, i32 11, i32 27, i32 14, i32 30, i32 15, i32 31>
  %v33 = shufflevector <16 x float> %v25, <16 x float> %v27, <16 x i32> <i32 0, i32 16, i32 1, i32 17, i32 4, i32 20, i32 5, i32 21, i32 8, i32 24, i32 9, i32 25, i32 12, i32 28, i32 13, i32 29>
  %v34 = shufflevector <16 x float> %v25, <16 x float> %v27, <16 x i32> <i32 2, i32 18, i32 3, i32 19, i32 6, i32 22, i32 7, i32 23, i32 10, i32 26, i32 11, i32 27, i32 14, i32 30, i32 15, i32 31>
  %v35 = shufflevector <16 x float> %v26, <16 x float> %v28, <16 x i32> <i32 0, i32 16, i32 1, i32 17, i32 4, i32 20, i32 5, i32 21, i32 8, i32 24, i32 9, i32 25, i32 12, i32 28, i32 13, i32 29>
  %v36 = shufflevector <16 x float> %v26, <16 x float> %v28, <16 x i32> <i32 2, i32 18, i32 3, i32 19, i32 6, i32 22, i32 7, i32 23, i32 10, i32 26, i32 11, i32 27, i32 14, i32 30, i32 15, i32 31>
  %v37 = shufflevector <16 x float> %v29, <16 x float> %v31, <16 x i32> <i32 0, i32 16, i32 1, i32 17, i32 4, i32 20, i32 5, i32 21, i32 8, i32 24, i32 9, i32 25, i32 12, i32 28, i32 13, i32 29>
  %v38 = shufflevector <16 x float> %v29, <16 x float> %v31, <16 x i32> <i32 2, i32 18, i32 3, i32 19, i32 6, i32 22, i32 7, i32 23, i32 10, i32 26, i32 11, i32 27, i32 14, i32 30, i32 15, i32 31>
  %v39 = shufflevector <16 x float> %v30, <16 x float> %v32, <16 x i32> <i32 0, i32 16, i32 1, i32 17, i32 4, i32 20, i32 5, i32 21, i32 8, i32 24, i32 9, i32 25, i32 12, i32 28, i32 13, i32 29>
  %v40 = shufflevector <16 x float> %v30, <16 x float> %v32, <16 x i32> <i32 2, i32 18, i32 3, i32 19, i32 6, i32 22, i32 7, i32 23, i32 10, i32 26, i32 11, i32 27, i32 14, i32 30, i32 15, i32 31>
  %v41 = shufflevector <16 x float> %v33, <16 x float> %v37, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11, i32 16, i32 17, i32 18, i32 19, i32 24, i32 25, i32 26, i32 27>
  %v42 = shufflevector <16 x float> %v33, <16 x float> %v37, <16 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15, i32 20, i32 21, i32 22, i32 23, i32 28, i32 29, i32 30, i32 31>
  %v43 = shufflevector <16 x float> %v34, <16 x float> %v38, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11, i32 16, i32 17, i32 18, i32 19, i32 24, i32 25, i32 26, i32 27>
  %v44 = shufflevector <16 x float> %v34, <16 x float> %v38, <16 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15, i32 20, i32 21, i32 22, i32 23, i32 28, i32 29, i32 30, i32 31>
  %v45 = shufflevector <16 x float> %v35, <16 x float> %v39, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11, i32 16, i32 17, i32 18, i32 19, i32 24, i32 25, i32 26, i32 27>
  %v46 = shufflevector <16 x float> %v35, <16 x float> %v39, <16 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15, i32 20, i32 21, i32 22, i32 23, i32 28, i32 29, i32 30, i32 31>
  %v47 = shufflevector <16 x float> %v36, <16 x float> %v40, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11, i32 16, i32 17, i32 18, i32 19, i32 24, i32 25, i32 26, i32 27>
  %v48 = shufflevector <16 x float> %v36, <16 x float> %v40, <16 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15, i32 20, i32 21, i32 22, i32 23, i32 28, i32 29, i32 30, i32 31>
  %v49 = shufflevector <16 x float> %v41, <16 x float> undef, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  store <8 x float> %v49, ptr %v51, align 4
  %v52 = shufflevector <16 x float> %v43, <16 x float> undef, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %v53 = getelementptr float, ptr %v51, i64 8
  store <8 x float> %v52, ptr %v53, align 4
  %v54 = shufflevector <16 x float> %v45, <16 x float> undef, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %v55 = getelementptr float, ptr %v51, i64 16
  store <8 x float> %v54, ptr %v55, align 4
  %v56 = shufflevector <16 x float> %v47, <16 x float> undef, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %v57 = getelementptr float, ptr %v51, i64 24
  store <8 x float> %v56, ptr %v57, align 4
  %v58 = shufflevector <16 x float> %v42, <16 x float> undef, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %v59 = getelementptr float, ptr %v51, i64 32
  store <8 x float> %v58, ptr %v59, align 4
  %v60 = shufflevector <16 x float> %v44, <16 x float> undef, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %v61 = getelementptr float, ptr %v51, i64 40
  store <8 x float> %v60, ptr %v61, align 4
  %v62 = shufflevector <16 x float> %v46, <16 x float> undef, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %v63 = getelementptr float, ptr %v51, i64 48
  store <8 x float> %v62, ptr %v63, align 4
  %v64 = shufflevector <16 x float> %v48, <16 x float> undef, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 8, i32 9, i32 10, i32 11>
  %v65 = getelementptr float, ptr %v51, i64 56
  store <8 x float> %v64, ptr %v65, align 4
  %v66 = shufflevector <16 x float> %v41, <16 x float> undef, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %v67 = getelementptr float, ptr %v51, i64 64
  store <8 x float> %v66, ptr %v67, align 4
  %v68 = shufflevector <16 x float> %v43, <16 x float> undef, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %v69 = getelementptr float, ptr %v51, i64 72
  store <8 x float> %v68, ptr %v69, align 4
  %v70 = shufflevector <16 x float> %v45, <16 x float> undef, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %v71 = getelementptr float, ptr %v51, i64 80
  store <8 x float> %v70, ptr %v71, align 4
  %v72 = shufflevector <16 x float> %v47, <16 x float> undef, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %v73 = getelementptr float, ptr %v51, i64 88
  store <8 x float> %v72, ptr %v73, align 4
  %v74 = shufflevector <16 x float> %v42, <16 x float> undef, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %v75 = getelementptr float, ptr %v51, i64 96
  store <8 x float> %v74, ptr %v75, align 4
  %v76 = shufflevector <16 x float> %v44, <16 x float> undef, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %v77 = getelementptr float, ptr %v51, i64 104
  store <8 x float> %v76, ptr %v77, align 4
  %v78 = shufflevector <16 x float> %v46, <16 x float> undef, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %v79 = getelementptr float, ptr %v51, i64 112
  store <8 x float> %v78, ptr %v79, align 4
  %v80 = shufflevector <16 x float> %v48, <16 x float> undef, <8 x i32> <i32 4, i32 5, i32 6, i32 7, i32 12, i32 13, i32 14, i32 15>
  %v81 = getelementptr float, ptr %v51, i64 120
  store <8 x float> %v80, ptr %v81, align 4
  ret void
}


attributes #0 = { nounwind "no-builtins" "prefer-vector-width"="512" "min-legal-vector-width"="512" }
