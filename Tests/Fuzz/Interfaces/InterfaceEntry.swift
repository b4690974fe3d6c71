import FuzzSeeds

// Entry points of libFuzzer. Any input must result in a definition or a typed error. A trap, a timeout or excessive
// memory use ends the run.

/// Writes definitions of various shapes as seeds.
@_cdecl("LLVMFuzzerInitialize")
public func initialize(_ count: UnsafeRawPointer, _ arguments: UnsafeRawPointer) -> CInt {
    FuzzSeeds.write(InterfaceFuzzer.seeds)
    return 0
}

/// Parses an input as a definition.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    InterfaceFuzzer.read(Array(UnsafeBufferPointer(start: start, count: count)))
    return 0
}
