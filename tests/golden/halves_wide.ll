
define void @ttune_main(ptr %operands, ptr %runtime, ptr %workspace) #0 {
entry:
  %local = getelementptr i8, ptr %workspace, i64 0
  %v0 = getelementptr ptr, ptr %operands, i64 0
  %v1 = load ptr, ptr %v0, align 8
  %v8 = getelementptr ptr, ptr %operands, i64 1
  %v9 = load ptr, ptr %v8, align 8
  %v2 = load <16 x i16>, ptr %v1, align 2
  %v3 = bitcast <16 x i16> %v2 to <16 x half>
  %v4 = fpext <16 x half> %v3 to <16 x float>
  %v5 = fadd <16 x float> %v4, %v4
  %v6 = fptrunc <16 x float> %v5 to <16 x half>
  %v7 = bitcast <16 x half> %v6 to <16 x i16>
  store <16 x i16> %v7, ptr %v9, align 2
  %v10 = getelementptr i16, ptr %v1, i64 16
  %v11 = load <4 x i16>, ptr %v10, align 2
  %v12 = bitcast <4 x i16> %v11 to <4 x half>
  %v13 = fpext <4 x half> %v12 to <4 x float>
  %v14 = fadd <4 x float> %v13, %v13
  %v15 = fptrunc <4 x float> %v14 to <4 x half>
  %v16 = bitcast <4 x half> %v15 to <4 x i16>
  %v17 = getelementptr i16, ptr %v9, i64 16
  store <4 x i16> %v16, ptr %v17, align 2
  ret void
}


attributes #0 = { nounwind "no-builtins" "prefer-vector-width"="512" "min-legal-vector-width"="512" }
