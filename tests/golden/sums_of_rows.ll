
define void @ttune_main(ptr %operands, ptr %runtime, ptr %workspace) #0 {
entry:
  %local = getelementptr i8, ptr %workspace, i64 0
  %v8 = getelementptr ptr, ptr %operands, i64 0
  %v9 = load ptr, ptr %v8, align 8
  %v18 = getelementptr ptr, ptr %operands, i64 1
  %v19 = load ptr, ptr %v18, align 8
  br label %b0
b0:
  %v2 = phi i64 [0, %entry], [%v21, %b5]
  %v10 = mul i64 %v2, 10
  %v11 = getelementptr float, ptr %v9, i64 %v10
  %v20 = getelementptr float, ptr %v19, i64 %v2
  br label %b4
b4:
  %v7 = phi i64 [0, %b0], [%v16, %b4]
  %v6 = phi float [0x0000000000000000, %b0], [%v14, %b4]
  %v12 = getelementptr float, ptr %v11, i64 %v7
  %v13 = load float, ptr %v12, align 4
  %v14 = fadd float %v6, %v13
  %v16 = add i64 %v7, 1
  %v17 = icmp slt i64 %v16, 10
  br i1 %v17, label %b4, label %b5
b5:
  store float %v14, ptr %v20, align 4
  %v21 = add i64 %v2, 1
  %v22 = icmp slt i64 %v21, 7
  br i1 %v22, label %b0, label %b1
b1:
  ret void
}


attributes #0 = { nounwind "no-builtins" "prefer-vector-width"="512" "min-legal-vector-width"="512" }
