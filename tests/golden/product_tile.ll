declare <16 x float> @llvm.fma.v16f32(<16 x float>, <16 x float>, <16 x float>)

define void @ttune_main(ptr %operands, ptr %runtime, ptr %workspace) #0 {
entry:
  %local = getelementptr i8, ptr %workspace, i64 0
  %v19 = getelementptr ptr, ptr %operands, i64 0
  %v20 = load ptr, ptr %v19, align 8
  %v23 = getelementptr ptr, ptr %operands, i64 1
  %v24 = load ptr, ptr %v23, align 8
  %v62 = getelementptr ptr, ptr %operands, i64 2
  %v63 = load ptr, ptr %v62, align 8
  br label %b8
b8:
  %v18 = phi i64 [0, %entry], [%v60, %b8]
  %v10 = phi <16 x float> [zeroinitializer, %entry], [%v30, %b8]
  %v11 = phi <16 x float> [zeroinitializer, %entry], [%v34, %b8]
  %v12 = phi <16 x float> [zeroinitializer, %entry], [%v40, %b8]
  %v13 = phi <16 x float> [zeroinitializer, %entry], [%v42, %b8]
  %v14 = phi <16 x float> [zeroinitializer, %entry], [%v48, %b8]
  %v15 = phi <16 x float> [zeroinitializer, %entry], [%v50, %b8]
  %v16 = phi <16 x float> [zeroinitializer, %entry], [%v56, %b8]
  %v17 = phi <16 x float> [zeroinitializer, %entry], [%v58, %b8]
  %v21 = getelementptr float, ptr %v20, i64 %v18
  %v25 = mul i64 %v18, 32
  %v26 = getelementptr float, ptr %v24, i64 %v25
  %v22 = load float, ptr %v21, align 4
  %v27 = load <16 x float>, ptr %v26, align 4
  %v28 = insertelement <16 x float> undef, float %v22, i32 0
  %v29 = shufflevector <16 x float> %v28, <16 x float> undef, <16 x i32> zeroinitializer
  %v30 = call <16 x float> @llvm.fma.v16f32(<16 x float> %v29, <16 x float> %v27, <16 x float> %v10)
  %v32 = getelementptr float, ptr %v26, i64 16
  %v33 = load <16 x float>, ptr %v32, align 4
  %v34 = call <16 x float> @llvm.fma.v16f32(<16 x float> %v29, <16 x float> %v33, <16 x float> %v11)
  %v36 = getelementptr float, ptr %v21, i64 100
  %v37 = load float, ptr %v36, align 4
  %v38 = insertelement <16 x float> undef, float %v37, i32 0
  %v39 = shufflevector <16 x float> %v38, <16 x float> undef, <16 x i32> zeroinitializer
  %v40 = call <16 x float> @llvm.fma.v16f32(<16 x float> %v39, <16 x float> %v27, <16 x float> %v12)
  %v42 = call <16 x float> @llvm.fma.v16f32(<16 x float> %v39, <16 x float> %v33, <16 x float> %v13)
  %v44 = getelementptr float, ptr %v21, i64 200
  %v45 = load float, ptr %v44, align 4
  %v46 = insertelement <16 x float> undef, float %v45, i32 0
  %v47 = shufflevector <16 x float> %v46, <16 x float> undef, <16 x i32> zeroinitializer
  %v48 = call <16 x float> @llvm.fma.v16f32(<16 x float> %v47, <16 x float> %v27, <16 x float> %v14)
  %v50 = call <16 x float> @llvm.fma.v16f32(<16 x float> %v47, <16 x float> %v33, <16 x float> %v15)
  %v52 = getelementptr float, ptr %v21, i64 300
  %v53 = load float, ptr %v52, align 4
  %v54 = insertelement <16 x float> undef, float %v53, i32 0
  %v55 = shufflevector <16 x float> %v54, <16 x float> undef, <16 x i32> zeroinitializer
  %v56 = call <16 x float> @llvm.fma.v16f32(<16 x float> %v55, <16 x float> %v27, <16 x float> %v16)
  %v58 = call <16 x float> @llvm.fma.v16f32(<16 x float> %v55, <16 x float> %v33, <16 x float> %v17)
  %v60 = add i64 %v18, 1
  %v61 = icmp slt i64 %v60, 100
  br i1 %v61, label %b8, label %b9
b9:
  store <16 x float> %v30, ptr %v63, align 4
  %v64 = getelementptr float, ptr %v63, i64 16
  store <16 x float> %v34, ptr %v64, align 4
  %v65 = getelementptr float, ptr %v63, i64 32
  store <16 x float> %v40, ptr %v65, align 4
  %v66 = getelementptr float, ptr %v63, i64 48
  store <16 x float> %v42, ptr %v66, align 4
  %v67 = getelementptr float, ptr %v63, i64 64
  store <16 x float> %v48, ptr %v67, align 4
  %v68 = getelementptr float, ptr %v63, i64 80
  store <16 x float> %v50, ptr %v68, align 4
  %v69 = getelementptr float, ptr %v63, i64 96
  store <16 x float> %v56, ptr %v69, align 4
  %v70 = getelementptr float, ptr %v63, i64 112
  store <16 x float> %v58, ptr %v70, align 4
  ret void
}


attributes #0 = { nounwind "no-builtins" "prefer-vector-width"="512" "min-legal-vector-width"="512" }
