import FuzzSeeds

// Entry points of libFuzzer. Any input must result in parameters or typed errors. A trap, a timeout or excessive memory
// use ends the run.

/// Writes the parameters of several methods as seeds.
@_cdecl("LLVMFuzzerInitialize")
public func initialize(_ count: UnsafeRawPointer, _ arguments: UnsafeRawPointer) -> CInt {
    FuzzSeeds.write(ParameterFuzzer.seeds)
    return 0
}

/// Parses an input as the parameters of several methods, and as replies.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    ParameterFuzzer.read(Array(UnsafeBufferPointer(start: start, count: count)))
    return 0
}
