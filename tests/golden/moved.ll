declare <16 x float> @llvm.masked.load.v16f32.p0(ptr, i32, <16 x i1>, <16 x float>)
@instead0 = private unnamed_addr constant [16 x float] [float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000, float 0x0000000000000000], align 64

define void @ttune_main(ptr %operands, ptr %runtime, ptr %workspace) #0 {
entry:
  %local = getelementptr i8, ptr %workspace, i64 0
  %v5 = getelementptr ptr, ptr %operands, i64 0
  %v6 = load ptr, ptr %v5, align 8
  %v13 = getelementptr ptr, ptr %operands, i64 1
  %v14 = load ptr, ptr %v13, align 8
  br label %b0
b0:
  %v2 = phi i64 [0, %entry], [%v16, %b0]
  %v3 = add i64 %v2, -1
  %v4 = icmp sge i64 %v3, 0
  %v7 = mul i64 %v2, 16
  %v8 = getelementptr float, ptr %v6, i64 %v7
  %v15 = getelementptr float, ptr %v14, i64 %v7
  %v9 = getelementptr float, ptr %v8, i64 -17
  %v10 = select i1 %v4, ptr %v9, ptr @instead0
  %v11 = call <16 x float> @llvm.masked.load.v16f32.p0(ptr %v10, i32 4, <16 x i1> <i1 false, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, <16 x float> zeroinitializer)
  %v12 = select <16 x i1> <i1 false, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, <16 x float> %v11, <16 x float> zeroinitializer
  store <16 x float> %v12, ptr %v15, align 4
  %v16 = add i64 %v2, 1
  %v17 = icmp slt i64 %v16, 3
  br i1 %v17, label %b0, label %b1
b1:
  ret void
}


attributes #0 = { nounwind "no-builtins" "prefer-vector-width"="512" "min-legal-vector-width"="512" }
