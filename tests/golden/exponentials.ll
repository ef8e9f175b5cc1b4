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
  %v11 = insertelement <16 x float> undef, float 0x4168000000000000, i32 0
  %v12 = shufflevector <16 x float> %v11, <16 x float> undef, <16 x i32> zeroinitializer
  %v13 = insertelement <16 x float> undef, float 0x3FF7154760000000, i32 0
  %v14 = shufflevector <16 x float> %v13, <16 x float> undef, <16 x i32> zeroinitializer
  %v17 = insertelement <16 x float> undef, float 0x3FE62E4000000000, i32 0
  %v18 = shufflevector <16 x float> %v17, <16 x float> undef, <16 x i32> zeroinitializer
  %v21 = insertelement <16 x float> undef, float 0x3EB7F7D1C0000000, i32 0
  %v22 = shufflevector <16 x float> %v21, <16 x float> undef, <16 x i32> zeroinitializer
  %v25 = insertelement <16 x float> undef, float 0x3F56A23D00000000, i32 0
  %v26 = shufflevector <16 x float> %v25, <16 x float> undef, <16 x i32> zeroinitializer
  %v27 = insertelement <16 x float> undef, float 0x3F8123A200000000, i32 0
  %v28 = shufflevector <16 x float> %v27, <16 x float> undef, <16 x i32> zeroinitializer
  %v30 = insertelement <16 x float> undef, float 0x3FA5558F20000000, i32 0
  %v31 = shufflevector <16 x float> %v30, <16 x float> undef, <16 x i32> zeroinitializer
  %v33 = insertelement <16 x float> undef, float 0x3FC5554920000000, i32 0
  %v34 = shufflevector <16 x float> %v33, <16 x float> undef, <16 x i32> zeroinitializer
  %v36 = insertelement <16 x float> undef, float 0x3FDFFFFFC0000000, i32 0
  %v37 = shufflevector <16 x float> %v36, <16 x float> undef, <16 x i32> zeroinitializer
  %v41 = insertelement <16 x float> undef, float 0x3FF0000000000000, i32 0
  %v42 = shufflevector <16 x float> %v41, <16 x float> undef, <16 x i32> zeroinitializer
  %v45 = getelementptr ptr, ptr %operands, i64 1
  %v46 = load ptr, ptr %v45, align 8
  %v49 = insertelement <4 x float> undef, float 0xC05A000000000000, i32 0
  %v50 = shufflevector <4 x float> %v49, <4 x float> undef, <4 x i32> zeroinitializer
  %v53 = insertelement <4 x float> undef, float 0x4056400000000000, i32 0
  %v54 = shufflevector <4 x float> %v53, <4 x float> undef, <4 x i32> zeroinitializer
  %v57 = insertelement <4 x float> undef, float 0x4168000000000000, i32 0
  %v58 = shufflevector <4 x float> %v57, <4 x float> undef, <4 x i32> zeroinitializer
  %v59 = insertelement <4 x float> undef, float 0x3FF7154760000000, i32 0
  %v60 = shufflevector <4 x float> %v59, <4 x float> undef, <4 x i32> zeroinitializer
  %v63 = insertelement <4 x float> undef, float 0x3FE62E4000000000, i32 0
  %v64 = shufflevector <4 x float> %v63, <4 x float> undef, <4 x i32> zeroinitializer
  %v67 = insertelement <4 x float> undef, float 0x3EB7F7D1C0000000, i32 0
  %v68 = shufflevector <4 x float> %v67, <4 x float> undef, <4 x i32> zeroinitializer
  %v71 = insertelement <4 x float> undef, float 0x3F56A23D00000000, i32 0
  %v72 = shufflevector <4 x float> %v71, <4 x float> undef, <4 x i32> zeroinitializer
  %v73 = insertelement <4 x float> undef, float 0x3F8123A200000000, i32 0
  %v74 = shufflevector <4 x float> %v73, <4 x float> undef, <4 x i32> zeroinitializer
  %v76 = insertelement <4 x float> undef, float 0x3FA5558F20000000, i32 0
  %v77 = shufflevector <4 x float> %v76, <4 x float> undef, <4 x i32> zeroinitializer
  %v79 = insertelement <4 x float> undef, float 0x3FC5554920000000, i32 0
  %v80 = shufflevector <4 x float> %v79, <4 x float> undef, <4 x i32> zeroinitializer
  %v82 = insertelement <4 x float> undef, float 0x3FDFFFFFC0000000, i32 0
  %v83 = shufflevector <4 x float> %v82, <4 x float> undef, <4 x i32> zeroinitializer
  %v87 = insertelement <4 x float> undef, float 0x3FF0000000000000, i32 0
  %v88 = shufflevector <4 x float> %v87, <4 x float> undef, <4 x i32> zeroinitializer
  %v93 = insertelement <4 x i32> undef, i32 1, i32 0
  %v94 = shufflevector <4 x i32> %v93, <4 x i32> undef, <4 x i32> zeroinitializer
  %v97 = insertelement <4 x i32> undef, i32 127, i32 0
  %v98 = shufflevector <4 x i32> %v97, <4 x i32> undef, <4 x i32> zeroinitializer
  %v100 = insertelement <4 x i32> undef, i32 23, i32 0
  %v101 = shufflevector <4 x i32> %v100, <4 x i32> undef, <4 x i32> zeroinitializer
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
  %v29 = call <16 x float> @llvm.fma.v16f32(<16 x float> %v26, <16 x float> %v24, <16 x float> %v28)
  %v32 = call <16 x float> @llvm.fma.v16f32(<16 x float> %v29, <16 x float> %v24, <16 x float> %v31)
  %v35 = call <16 x float> @llvm.fma.v16f32(<16 x float> %v32, <16 x float> %v24, <16 x float> %v34)
  %v38 = call <16 x float> @llvm.fma.v16f32(<16 x float> %v35, <16 x float> %v24, <16 x float> %v37)
  %v39 = fmul <16 x float> %v24, %v24
  %v40 = call <16 x float> @llvm.fma.v16f32(<16 x float> %v39, <16 x float> %v38, <16 x float> %v24)
  %v43 = fadd <16 x float> %v42, %v40
  %v44 = call <16 x float> @llvm.x86.avx512.mask.scalef.ps.512(<16 x float> %v43, <16 x float> %v16, <16 x float> zeroinitializer, i16 -1, i32 4)
  store <16 x float> %v44, ptr %v46, align 4
  %v47 = getelementptr float, ptr %v1, i64 16
  %v48 = load <4 x float>, ptr %v47, align 4
  %v51 = fcmp olt <4 x float> %v48, %v50
  %v52 = select <4 x i1> %v51, <4 x float> %v50, <4 x float> %v48
  %v55 = fcmp ogt <4 x float> %v52, %v54
  %v56 = select <4 x i1> %v55, <4 x float> %v54, <4 x float> %v52
  %v61 = call <4 x float> @llvm.fma.v4f32(<4 x float> %v56, <4 x float> %v60, <4 x float> %v58)
  %v62 = fsub <4 x float> %v61, %v58
  %v65 = fneg <4 x float> %v62
  %v66 = call <4 x float> @llvm.fma.v4f32(<4 x float> %v65, <4 x float> %v64, <4 x float> %v56)
  %v69 = fneg <4 x float> %v62
  %v70 = call <4 x float> @llvm.fma.v4f32(<4 x float> %v69, <4 x float> %v68, <4 x float> %v66)
  %v75 = call <4 x float> @llvm.fma.v4f32(<4 x float> %v72, <4 x float> %v70, <4 x float> %v74)
  %v78 = call <4 x float> @llvm.fma.v4f32(<4 x float> %v75, <4 x float> %v70, <4 x float> %v77)
  %v81 = call <4 x float> @llvm.fma.v4f32(<4 x float> %v78, <4 x float> %v70, <4 x float> %v80)
  %v84 = call <4 x float> @llvm.fma.v4f32(<4 x float> %v81, <4 x float> %v70, <4 x float> %v83)
  %v85 = fmul <4 x float> %v70, %v70
  %v86 = call <4 x float> @llvm.fma.v4f32(<4 x float> %v85, <4 x float> %v84, <4 x float> %v70)
  %v89 = fadd <4 x float> %v88, %v86
  %v90 = bitcast <4 x float> %v58 to <4 x i32>
  %v91 = bitcast <4 x float> %v61 to <4 x i32>
  %v92 = sub <4 x i32> %v91, %v90
  %v95 = ashr <4 x i32> %v92, %v94
  %v96 = sub <4 x i32> %v92, %v95
  %v99 = add <4 x i32> %v96, %v98
  %v102 = shl <4 x i32> %v99, %v101
  %v103 = bitcast <4 x i32> %v102 to <4 x float>
  %v104 = add <4 x i32> %v95, %v98
  %v105 = shl <4 x i32> %v104, %v101
  %v106 = bitcast <4 x i32> %v105 to <4 x float>
  %v107 = fmul <4 x float> %v89, %v106
  %v108 = fmul <4 x float> %v107, %v103
  %v109 = getelementptr float, ptr %v46, i64 16
  store <4 x float> %v108, ptr %v109, align 4
  ret void
}


attributes #0 = { nounwind "no-builtins" "prefer-vector-width"="512" "min-legal-vector-width"="512" }
