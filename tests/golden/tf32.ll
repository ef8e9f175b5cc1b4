
define void @ttune_main(ptr %operands, ptr %runtime, ptr %workspace) #0 {
entry:
  %local = getelementptr i8, ptr %workspace, i64 0
  %v0 = getelementptr ptr, ptr %operands, i64 0
  %v1 = load ptr, ptr %v0, align 8
  %v4 = insertelement <16 x i32> undef, i32 -8192, i32 0
  %v5 = shufflevector <16 x i32> %v4, <16 x i32> undef, <16 x i32> zeroinitializer
  %v7 = insertelement <16 x i32> undef, i32 4096, i32 0
  %v8 = shufflevector <16 x i32> %v7, <16 x i32> undef, <16 x i32> zeroinitializer
  %v13 = getelementptr ptr, ptr %operands, i64 1
  %v14 = load ptr, ptr %v13, align 8
  %v18 = insertelement <4 x i32> undef, i32 -8192, i32 0
  %v19 = shufflevector <4 x i32> %v18, <4 x i32> undef, <4 x i32> zeroinitializer
  %v21 = insertelement <4 x i32> undef, i32 4096, i32 0
  %v22 = shufflevector <4 x i32> %v21, <4 x i32> undef, <4 x i32> zeroinitializer
  %v2 = load <16 x float>, ptr %v1, align 4
  %v3 = bitcast <16 x float> %v2 to <16 x i32>
  %v6 = fcmp uno <16 x float> %v2, %v2
  %v9 = add <16 x i32> %v3, %v8
  %v10 = and <16 x i32> %v9, %v5
  %v11 = bitcast <16 x i32> %v10 to <16 x float>
  %v12 = select <16 x i1> %v6, <16 x float> %v2, <16 x float> %v11
  store <16 x float> %v12, ptr %v14, align 4
  %v15 = getelementptr float, ptr %v1, i64 16
  %v16 = load <4 x float>, ptr %v15, align 4
  %v17 = bitcast <4 x float> %v16 to <4 x i32>
  %v20 = fcmp uno <4 x float> %v16, %v16
  %v23 = add <4 x i32> %v17, %v22
  %v24 = and <4 x i32> %v23, %v19
  %v25 = bitcast <4 x i32> %v24 to <4 x float>
  %v26 = select <4 x i1> %v20, <4 x float> %v16, <4 x float> %v25
  %v27 = getelementptr float, ptr %v14, i64 16
  store <4 x float> %v26, ptr %v27, align 4
  ret void
}


attributes #0 = { nounwind "no-builtins" "prefer-vector-width"="512" "min-legal-vector-width"="512" }
