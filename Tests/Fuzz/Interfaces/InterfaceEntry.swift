import FuzzSeeds

// The entries of libFuzzer. Any bytes have to give a definition or a named error: whatever traps,
// takes too long or takes too much memory ends the run.

/// Writes definitions of every shape as seeds.
@_cdecl("LLVMFuzzerInitialize")
public func initialize(_ count: UnsafeRawPointer, _ arguments: UnsafeRawPointer) -> CInt {
    FuzzSeeds.write(InterfaceFuzzer.seeds)
    return 0
}

/// Reads one input as a definition.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    InterfaceFuzzer.read(Array(UnsafeBufferPointer(start: start, count: count)))
    return 0
}
