import FuzzSeeds

// The entries of libFuzzer. Any bytes have to give messages or named errors: whatever traps, takes
// too long or takes too much memory ends the run.

/// Writes calls and replies of every shape as seeds.
@_cdecl("LLVMFuzzerInitialize")
public func initialize(_ count: UnsafeRawPointer, _ arguments: UnsafeRawPointer) -> CInt {
    FuzzSeeds.write(MessageFuzzer.seeds)
    return 0
}

/// Reads one input as a call, as a reply, and as what comes on a connection.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    MessageFuzzer.readAsCall(input)
    MessageFuzzer.readAsReply(input)
    MessageFuzzer.receive(input)
    return 0
}
