
define internal void @task0(ptr %closure, i64 %task, i32 %worker) #0 {
entry:
  %operands.place = getelementptr i64, ptr %closure, i64 0
  %operands = load ptr, ptr %operands.place, align 8
  %runtime.place = getelementptr i64, ptr %closure, i64 1
  %runtime = load ptr, ptr %runtime.place, align 8
  %workspace.place = getelementptr i64, ptr %closure, i64 2
  %workspace = load ptr, ptr %workspace.place, align 8
  %begin.place = getelementptr i64, ptr %closure, i64 3
  %begin = load i64, ptr %begin.place, align 8
  %index = add i64 %begin, %task
  %worker64 = sext i32 %worker to i64
  %local.skip = mul i64 %worker64, 0
  %local.first = getelementptr i8, ptr %workspace, i64 0
  %local = getelementptr i8, ptr %local.first, i64 %local.skip
  %v8 = getelementptr ptr, ptr %operands, i64 0
  %v9 = load ptr, ptr %v8, align 8
  %v10 = mul i64 %index, 4
  %v11 = getelementptr i32, ptr %v9, i64 %v10
  %v13 = getelementptr ptr, ptr %operands, i64 1
  %v14 = load ptr, ptr %v13, align 8
  %v15 = getelementptr i32, ptr %v14, i64 %v10
  %v17 = insertelement <4 x i32> undef, i32 -1, i32 0
  %v18 = shufflevector <4 x i32> %v17, <4 x i32> undef, <4 x i32> zeroinitializer
  %v20 = insertelement <4 x i32> undef, i32 1, i32 0
  %v21 = shufflevector <4 x i32> %v20, <4 x i32> undef, <4 x i32> zeroinitializer
  %v24 = insertelement <4 x i32> undef, i32 0, i32 0
  %v25 = shufflevector <4 x i32> %v24, <4 x i32> undef, <4 x i32> zeroinitializer
  %v28 = getelementptr ptr, ptr %operands, i64 2
  %v29 = load ptr, ptr %v28, align 8
  %v30 = getelementptr i32, ptr %v29, i64 %v10
  %v12 = load <4 x i32>, ptr %v11, align 4
  %v16 = load <4 x i32>, ptr %v15, align 4
  %v19 = icmp eq <4 x i32> %v16, %v18
  %v22 = select <4 x i1> %v19, <4 x i32> %v21, <4 x i32> %v16
  %v23 = sdiv <4 x i32> %v12, %v22
  %v26 = sub <4 x i32> %v25, %v12
  %v27 = select <4 x i1> %v19, <4 x i32> %v26, <4 x i32> %v23
  store <4 x i32> %v27, ptr %v30, align 4
  ret void
}

define void @ttune_main(ptr %operands, ptr %runtime, ptr %workspace) #0 {
entry:
  %v1 = alloca [4 x i64], align 16
  %local = getelementptr i8, ptr %workspace, i64 0
  %v2 = getelementptr i64, ptr %v1, i64 0
  store ptr %operands, ptr %v2, align 8
  %v3 = getelementptr i64, ptr %v1, i64 1
  store ptr %runtime, ptr %v3, align 8
  %v4 = getelementptr i64, ptr %v1, i64 2
  store ptr %workspace, ptr %v4, align 8
  %v5 = getelementptr i64, ptr %v1, i64 3
  store i64 0, ptr %v5, align 8
  %v6 = getelementptr i8, ptr %runtime, i64 8
  %v7 = load ptr, ptr %v6, align 8
  call void %v7(ptr %runtime, ptr @task0, ptr %v1, i64 2)
  ret void
}


attributes #0 = { nounwind "no-builtins" "prefer-vector-width"="128" "min-legal-vector-width"="128" }
