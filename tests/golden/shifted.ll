declare <16 x float> @llvm.masked.load.v16f32.p0(ptr, i32, <16 x i1>, <16 x float>)

define void @ttune_main(ptr %operands, ptr %runtime, ptr %workspace) #0 {
entry:
  %local = getelementptr i8, ptr %workspace, i64 0
  %v0 = getelementptr ptr, ptr %operands, i64 0
  %v1 = load ptr, ptr %v0, align 8
  %v5 = getelementptr ptr, ptr %operands, i64 1
  %v6 = load ptr, ptr %v5, align 8
  %v2 = getelementptr float, ptr %v1, i64 -1
  %v3 = call <16 x float> @llvm.masked.load.v16f32.p0(ptr %v2, i32 4, <16 x i1> <i1 false, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, <16 x float> zeroinitializer)
  %v4 = select <16 x i1> <i1 false, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, <16 x float> %v3, <16 x float> zeroinitializer
  store <16 x float> %v4, ptr %v6, align 4
  ret void
}


attributes #0 = { nounwind "no-builtins" "prefer-vector-width"="512" "min-legal-vector-width"="512" }
