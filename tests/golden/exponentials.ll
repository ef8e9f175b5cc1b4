declare <16 x float> @llvm.fma.v16f32(<16 x float>, <16 x float>, <16 x float>)
declare <16 x float> @llvm.x86.avx512.mask.scalef.ps.512(<16 x float>, <16 x float>, <16 x float>, i16, i32)
declare <4 x float> @llvm.fma.v4f32(<4 x float>, <4 x float>, <4 x float>)

define void @ttune_main(ptr %operands, ptr %runtime, ptr %workspace) #0 {
entry:
  %local = getelementptr i8, ptr %workspace, i64 0
  %v0 = getelementptr ptr, ptr %operands, i64 0
  %v1 = load ptr, ptr %v0, align 8
  %v3 = insertelement <16 x float> undef, float 0xC05A000000000000, i32 0
  %v4 = shufflevector <16 x float> %v3, <16 x float> undef, <16 x i32> zeroinitializer
  %v7 = insertelement <16 x float> undef, float 0x4056400000000000, i32 0
  %v8 = shufflevector <16 x float> %v7, <16 x float> undef, <16 x i32> zeroinitializer
  %v11 = insertelement <16 x float> undef, float 0x4168001FC0000000, i32 0
  %v12 = shufflevector <16 x float> %v11, <16 x float> undef, <16 x i32> zeroinitializer
  %v13 = insertelement <16 x float> undef, float 0x3FF7154760000000, i32 0
  %v14 = shufflevector <16 x float> %v13, <16 x float> undef, <16 x i32> zeroinitializer
  %v17 = insertelement <16 x float> undef, float 0x3FE62E4000000000, i32 0
  %v18 = shufflevector <16 x float> %v17, <16 x float> undef, <16 x i32> zeroinitializer
  %v21 = insertelement <16 x float> undef, float 0x3EB7F7D1C0000000, i32 0
  %v22 = shufflevector <16 x float> %v21, <16 x float> undef, <16 x i32> zeroinitializer
  %v25 = insertelement <16 x float> undef, float 0x3FF0000000000000, i32 0
  %v26 = shufflevector <16 x float> %v25, <16 x float> undef, <16 x i32> zeroinitializer
  %v27 = insertelement <16 x float> undef, float 0x3F56A23D00000000, i32 0
  %v28 = shufflevector <16 x float> %v27, <16 x float> undef, <16 x i32> zeroinitializer
  %v29 = insertelement <16 x float> undef, float 0x3F8123A200000000, i32 0
  %v30 = shufflevector <16 x float> %v29, <16 x float> undef, <16 x i32> zeroinitializer
  %v32 = insertelement <16 x float> undef, float 0x3FA5558F20000000, i32 0
  %v33 = shufflevector <16 x float> %v32, <16 x float> undef, <16 x i32> zeroinitializer
  %v35 = insertelement <16 x float> undef, float 0x3FC5554920000000, i32 0
  %v36 = shufflevector <16 x float> %v35, <16 x float> undef, <16 x i32> zeroinitializer
  %v38 = insertelement <16 x float> undef, float 0x3FDFFFFFC0000000, i32 0
  %v39 = shufflevector <16 x float> %v38, <16 x float> undef, <16 x i32> zeroinitializer
  %v44 = getelementptr ptr, ptr %operands, i64 1
  %v45 = load ptr, ptr %v44, align 8
  %v48 = insertelement <4 x float> undef, float 0xC05A000000000000, i32 0
  %v49 = shufflevector <4 x float> %v48, <4 x float> undef, <4 x i32> zeroinitializer
  %v52 = insertelement <4 x float> undef, float 0x4056400000000000, i32 0
  %v53 = shufflevector <4 x float> %v52, <4 x float> undef, <4 x i32> zeroinitializer
  %v56 = insertelement <4 x float> undef, float 0x4168001FC0000000, i32 0
  %v57 = shufflevector <4 x float> %v56, <4 x float> undef, <4 x i32> zeroinitializer
  %v58 = insertelement <4 x float> undef, float 0x3FF7154760000000, i32 0
  %v59 = shufflevector <4 x float> %v58, <4 x float> undef, <4 x i32> zeroinitializer
  %v62 = insertelement <4 x float> undef, float 0x3FE62E4000000000, i32 0
  %v63 = shufflevector <4 x float> %v62, <4 x float> undef, <4 x i32> zeroinitializer
  %v66 = insertelement <4 x float> undef, float 0x3EB7F7D1C0000000, i32 0
  %v67 = shufflevector <4 x float> %v66, <4 x float> undef, <4 x i32> zeroinitializer
  %v70 = insertelement <4 x float> undef, float 0x3FF0000000000000, i32 0
  %v71 = shufflevector <4 x float> %v70, <4 x float> undef, <4 x i32> zeroinitializer
  %v72 = insertelement <4 x float> undef, float 0x3F56A23D00000000, i32 0
  %v73 = shufflevector <4 x float> %v72, <4 x float> undef, <4 x i32> zeroinitializer
  %v74 = insertelement <4 x float> undef, float 0x3F8123A200000000, i32 0
  %v75 = shufflevector <4 x float> %v74, <4 x float> undef, <4 x i32> zeroinitializer
  %v77 = insertelement <4 x float> undef, float 0x3FA5558F20000000, i32 0
  %v78 = shufflevector <4 x float> %v77, <4 x float> undef, <4 x i32> zeroinitializer
  %v80 = insertelement <4 x float> undef, float 0x3FC5554920000000, i32 0
  %v81 = shufflevector <4 x float> %v80, <4 x float> undef, <4 x i32> zeroinitializer
  %v83 = insertelement <4 x float> undef, float 0x3FDFFFFFC0000000, i32 0
  %v84 = shufflevector <4 x float> %v83, <4 x float> undef, <4 x i32> zeroinitializer
  %v89 = insertelement <4 x i32> undef, i32 4286578688, i32 0
  %v90 = shufflevector <4 x i32> %v89, <4 x i32> undef, <4 x i32> zeroinitializer
  %v91 = insertelement <4 x i32> undef, i32 22, i32 0
  %v92 = shufflevector <4 x i32> %v91, <4 x i32> undef, <4 x i32> zeroinitializer
  %v95 = insertelement <4 x i32> undef, i32 23, i32 0
  %v96 = shufflevector <4 x i32> %v95, <4 x i32> undef, <4 x i32> zeroinitializer
  %v2 = load <16 x float>, ptr %v1, align 4
  %v5 = fcmp olt <16 x float> %v2, %v4
  %v6 = select <16 x i1> %v5, <16 x float> %v4, <16 x float> %v2
  %v9 = fcmp ogt <16 x float> %v6, %v8
  %v10 = select <16 x i1> %v9, <16 x float> %v8, <16 x float> %v6
  %v15 = call <16 x float> @llvm.fma.v16f32(<16 x float> %v10, <16 x float> %v14, <16 x float> %v12)
  %v16 = fsub <16 x float> %v15, %v12
  %v19 = fneg <16 x float> %v16
  %v20 = call <16 x float> @llvm.fma.v16f32(<16 x float> %v19, <16 x float> %v18, <16 x float> %v10)
  %v23 = fneg <16 x float> %v16
  %v24 = call <16 x float> @llvm.fma.v16f32(<16 x float> %v23, <16 x float> %v22, <16 x float> %v20)
  %v31 = call <16 x float> @llvm.fma.v16f32(<16 x float> %v28, <16 x float> %v24, <16 x float> %v30)
  %v34 = call <16 x float> @llvm.fma.v16f32(<16 x float> %v31, <16 x float> %v24, <16 x float> %v33)
  %v37 = call <16 x float> @llvm.fma.v16f32(<16 x float> %v34, <16 x float> %v24, <16 x float> %v36)
  %v40 = call <16 x float> @llvm.fma.v16f32(<16 x float> %v37, <16 x float> %v24, <16 x float> %v39)
  %v41 = call <16 x float> @llvm.fma.v16f32(<16 x float> %v24, <16 x float> %v40, <16 x float> %v26)
  %v42 = call <16 x float> @llvm.fma.v16f32(<16 x float> %v24, <16 x float> %v41, <16 x float> %v26)
  %v43 = call <16 x float> @llvm.x86.avx512.mask.scalef.ps.512(<16 x float> %v42, <16 x float> %v16, <16 x float> zeroinitializer, i16 -1, i32 4)
  store <16 x float> %v43, ptr %v45, align 4
  %v46 = getelementptr float, ptr %v1, i64 16
  %v47 = load <4 x float>, ptr %v46, align 4
  %v50 = fcmp olt <4 x float> %v47, %v49
  %v51 = select <4 x i1> %v50, <4 x float> %v49, <4 x float> %v47
  %v54 = fcmp ogt <4 x float> %v51, %v53
  %v55 = select <4 x i1> %v54, <4 x float> %v53, <4 x float> %v51
  %v60 = call <4 x float> @llvm.fma.v4f32(<4 x float> %v55, <4 x float> %v59, <4 x float> %v57)
  %v61 = fsub <4 x float> %v60, %v57
  %v64 = fneg <4 x float> %v61
  %v65 = call <4 x float> @llvm.fma.v4f32(<4 x float> %v64, <4 x float> %v63, <4 x float> %v55)
  %v68 = fneg <4 x float> %v61
  %v69 = call <4 x float> @llvm.fma.v4f32(<4 x float> %v68, <4 x float> %v67, <4 x float> %v65)
  %v76 = call <4 x float> @llvm.fma.v4f32(<4 x float> %v73, <4 x float> %v69, <4 x float> %v75)
  %v79 = call <4 x float> @llvm.fma.v4f32(<4 x float> %v76, <4 x float> %v69, <4 x float> %v78)
  %v82 = call <4 x float> @llvm.fma.v4f32(<4 x float> %v79, <4 x float> %v69, <4 x float> %v81)
  %v85 = call <4 x float> @llvm.fma.v4f32(<4 x float> %v82, <4 x float> %v69, <4 x float> %v84)
  %v86 = call <4 x float> @llvm.fma.v4f32(<4 x float> %v69, <4 x float> %v85, <4 x float> %v71)
  %v87 = call <4 x float> @llvm.fma.v4f32(<4 x float> %v69, <4 x float> %v86, <4 x float> %v71)
  %v88 = bitcast <4 x float> %v60 to <4 x i32>
  %v93 = shl <4 x i32> %v88, %v92
  %v94 = and <4 x i32> %v93, %v90
  %v97 = shl <4 x i32> %v88, %v96
  %v98 = sub <4 x i32> %v97, %v94
  %v99 = bitcast <4 x i32> %v98 to <4 x float>
  %v100 = bitcast <4 x i32> %v94 to <4 x float>
  %v101 = fmul <4 x float> %v87, %v100
  %v102 = fmul <4 x float> %v101, %v99
  %v103 = getelementptr float, ptr %v45, i64 16
  store <4 x float> %v102, ptr %v103, align 4
  ret void
}


attributes #0 = { nounwind "no-builtins" "prefer-vector-width"="512" "min-legal-vector-width"="512" }
