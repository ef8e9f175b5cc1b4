declare <8 x float> @llvm.masked.load.v8f32.p0(ptr, i32, <8 x i1>, <8 x float>)
declare void @llvm.masked.store.v8f32.p0(<8 x float>, ptr, i32, <8 x i1>)

define void @ttune_main(ptr %operands, ptr %runtime, ptr %workspace) #0 {
entry:
  %local = getelementptr i8, ptr %workspace, i64 0
  %v0 = getelementptr ptr, ptr %operands, i64 0
  %v1 = load ptr, ptr %v0, align 8
  %v3 = getelementptr ptr, ptr %operands, i64 1
  %v4 = load ptr, ptr %v3, align 8
  %v7 = getelementptr ptr, ptr %operands, i64 2
  %v8 = load ptr, ptr %v7, align 8
  %v14 = call i64 asm "", "=r,0"(i64 31)
  %v15 = trunc i64 %v14 to i8
  %v16 = bitcast i8 %v15 to <8 x i1>
  %v2 = load <16 x float>, ptr %v1, align 4
  %v5 = load <16 x float>, ptr %v4, align 4
  %v6 = fadd <16 x float> %v2, %v5
  store <16 x float> %v6, ptr %v8, align 4
  %v9 = getelementptr float, ptr %v1, i64 16
  %v10 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %v9, i32 4, <8 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 false, i1 false, i1 false>, <8 x float> zeroinitializer)
  %v11 = getelementptr float, ptr %v4, i64 16
  %v12 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %v11, i32 4, <8 x i1> <i1 true, i1 true, i1 true, i1 true, i1 true, i1 false, i1 false, i1 false>, <8 x float> zeroinitializer)
  %v13 = fadd <8 x float> %v10, %v12
  %v17 = getelementptr float, ptr %v8, i64 16
  call void @llvm.masked.store.v8f32.p0(<8 x float> %v13, ptr %v17, i32 4, <8 x i1> %v16)
  ret void
}


attributes #0 = { nounwind "no-builtins" "prefer-vector-width"="512" "min-legal-vector-width"="512" }
