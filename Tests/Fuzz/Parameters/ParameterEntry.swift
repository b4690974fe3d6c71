import FuzzSeeds

// The entries of libFuzzer. Any bytes have to give parameters or named errors: whatever traps, takes too long or takes
// too much memory ends the run.

/// Writes parameters of several methods as seeds.
@_cdecl("LLVMFuzzerInitialize")
public func initialize(_ count: UnsafeRawPointer, _ arguments: UnsafeRawPointer) -> CInt {
    FuzzSeeds.write(ParameterFuzzer.seeds)
    return 0
}

/// Reads one input as the parameters of several methods, and as replies.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    ParameterFuzzer.read(Array(UnsafeBufferPointer(start: start, count: count)))
    return 0
}
