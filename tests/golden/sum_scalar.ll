
define void @ttune_main(ptr %operands, ptr %runtime, ptr %workspace) #0 {
entry:
  %local = getelementptr i8, ptr %workspace, i64 0
  %v3 = getelementptr ptr, ptr %operands, i64 0
  %v4 = load ptr, ptr %v3, align 8
  %v7 = getelementptr ptr, ptr %operands, i64 1
  %v8 = load ptr, ptr %v7, align 8
  %v12 = getelementptr ptr, ptr %operands, i64 2
  %v13 = load ptr, ptr %v12, align 8
  br label %b0
b0:
  %v2 = phi i64 [0, %entry], [%v15, %b0]
  %v5 = getelementptr float, ptr %v4, i64 %v2
  %v9 = getelementptr float, ptr %v8, i64 %v2
  %v14 = getelementptr float, ptr %v13, i64 %v2
  %v6 = load float, ptr %v5, align 4
  %v10 = load float, ptr %v9, align 4
  %v11 = fadd float %v6, %v10
  store float %v11, ptr %v14, align 4
  %v15 = add i64 %v2, 1
  %v16 = icmp slt i64 %v15, 5
  br i1 %v16, label %b0, label %b1
b1:
  ret void
}


attributes #0 = { nounwind "no-builtins" "prefer-vector-width"="128" "min-legal-vector-width"="128" }
