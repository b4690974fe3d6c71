import FuzzSeeds

// Entry points of libFuzzer. Any input must result in messages or typed errors. A trap, a timeout or excessive memory
// use ends the run.

/// Writes various calls and replies as seeds.
@_cdecl("LLVMFuzzerInitialize")
public func initialize(_ count: UnsafeRawPointer, _ arguments: UnsafeRawPointer) -> CInt {
    FuzzSeeds.write(MessageFuzzer.seeds)
    return 0
}

/// Parses an input as a call, as a reply, and as the data received on a connection.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    MessageFuzzer.readAsCall(input)
    MessageFuzzer.readAsReply(input)
    MessageFuzzer.receive(input)
    return 0
}
