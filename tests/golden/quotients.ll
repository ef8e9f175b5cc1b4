
define internal void @task0(ptr %closure, i64 %task, i32 %worker) #0 {
entry:
  %runtime.place = getelementptr i64, ptr %closure, i64 0
  %runtime = load ptr, ptr %runtime.place, align 8
  %workspace.place = getelementptr i64, ptr %closure, i64 1
  %workspace = load ptr, ptr %workspace.place, align 8
  %begin.place = getelementptr i64, ptr %closure, i64 2
  %begin = load i64, ptr %begin.place, align 8
  %index = add i64 %begin, %task
  %worker64 = sext i32 %worker to i64
  %local.skip = mul i64 %worker64, 0
  %local.first = getelementptr i8, ptr %workspace, i64 0
  %local = getelementptr i8, ptr %local.first, i64 %local.skip
  %v1 = getelementptr i64, ptr %closure, i64 3
  %v2 = load ptr, ptr %v1, align 8
  %v3 = mul i64 %index, 4
  %v4 = getelementptr i32, ptr %v2, i64 %v3
  %v6 = getelementptr i64, ptr %closure, i64 4
  %v7 = load ptr, ptr %v6, align 8
  %v8 = getelementptr i32, ptr %v7, i64 %v3
  %v10 = insertelement <4 x i32> undef, i32 -1, i32 0
  %v11 = shufflevector <4 x i32> %v10, <4 x i32> undef, <4 x i32> zeroinitializer
  %v13 = insertelement <4 x i32> undef, i32 1, i32 0
  %v14 = shufflevector <4 x i32> %v13, <4 x i32> undef, <4 x i32> zeroinitializer
  %v17 = insertelement <4 x i32> undef, i32 0, i32 0
  %v18 = shufflevector <4 x i32> %v17, <4 x i32> undef, <4 x i32> zeroinitializer
  %v21 = getelementptr i64, ptr %closure, i64 5
  %v22 = load ptr, ptr %v21, align 8
  %v23 = getelementptr i32, ptr %v22, i64 %v3
  %v5 = load <4 x i32>, ptr %v4, align 4
  %v9 = load <4 x i32>, ptr %v8, align 4
  %v12 = icmp eq <4 x i32> %v9, %v11
  %v15 = select <4 x i1> %v12, <4 x i32> %v14, <4 x i32> %v9
  %v16 = sdiv <4 x i32> %v5, %v15
  %v19 = sub <4 x i32> %v18, %v5
  %v20 = select <4 x i1> %v12, <4 x i32> %v19, <4 x i32> %v16
  store <4 x i32> %v20, ptr %v23, align 4
  ret void
}

define void @ttune_main(ptr %operands, ptr %runtime, ptr %workspace) #0 {
entry:
  %v24 = alloca [6 x i64], align 64
  %local = getelementptr i8, ptr %workspace, i64 0
  %v28 = getelementptr ptr, ptr %operands, i64 0
  %v29 = load ptr, ptr %v28, align 8
  %v31 = getelementptr ptr, ptr %operands, i64 1
  %v32 = load ptr, ptr %v31, align 8
  %v34 = getelementptr ptr, ptr %operands, i64 2
  %v35 = load ptr, ptr %v34, align 8
  %v25 = getelementptr i64, ptr %v24, i64 0
  store ptr %runtime, ptr %v25, align 8
  %v26 = getelementptr i64, ptr %v24, i64 1
  store ptr %workspace, ptr %v26, align 8
  %v27 = getelementptr i64, ptr %v24, i64 2
  store i64 0, ptr %v27, align 8
  %v30 = getelementptr i64, ptr %v24, i64 3
  store ptr %v29, ptr %v30, align 8
  %v33 = getelementptr i64, ptr %v24, i64 4
  store ptr %v32, ptr %v33, align 8
  %v36 = getelementptr i64, ptr %v24, i64 5
  store ptr %v35, ptr %v36, align 8
  %v37 = getelementptr i8, ptr %runtime, i64 8
  %v38 = load ptr, ptr %v37, align 8
  call void %v38(ptr %runtime, ptr @task0, ptr %v24, i64 2)
  ret void
}


attributes #0 = { nounwind "no-builtins" "prefer-vector-width"="128" "min-legal-vector-width"="128" }
