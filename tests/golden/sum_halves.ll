
define void @ttune_main(ptr %operands, ptr %runtime, ptr %workspace) #0 {
entry:
  %local = getelementptr i8, ptr %workspace, i64 0
  %v0 = getelementptr ptr, ptr %operands, i64 0
  %v1 = load ptr, ptr %v0, align 8
  %v3 = getelementptr ptr, ptr %operands, i64 1
  %v4 = load ptr, ptr %v3, align 8
  %v7 = getelementptr ptr, ptr %operands, i64 2
  %v8 = load ptr, ptr %v7, align 8
  %v2 = load <4 x float>, ptr %v1, align 4
  %v5 = load <4 x float>, ptr %v4, align 4
  %v6 = fadd <4 x float> %v2, %v5
  store <4 x float> %v6, ptr %v8, align 4
  %v9 = getelementptr float, ptr %v1, i64 4
  %v10 = load <2 x float>, ptr %v9, align 4
  %v11 = getelementptr float, ptr %v4, i64 4
  %v12 = load <2 x float>, ptr %v11, align 4
  %v13 = fadd <2 x float> %v10, %v12
  %v14 = getelementptr float, ptr %v8, i64 4
  store <2 x float> %v13, ptr %v14, align 4
  %v15 = getelementptr float, ptr %v1, i64 6
  %v16 = load float, ptr %v15, align 4
  %v17 = getelementptr float, ptr %v4, i64 6
  %v18 = load float, ptr %v17, align 4
  %v19 = fadd float %v16, %v18
  %v20 = getelementptr float, ptr %v8, i64 6
  store float %v19, ptr %v20, align 4
  ret void
}


attributes #0 = { nounwind "no-builtins" "prefer-vector-width"="128" "min-legal-vector-width"="128" }
