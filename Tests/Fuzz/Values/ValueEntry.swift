import FuzzSeeds

@testable import StateRestoration

// The entries of libFuzzer. Any bytes have to give a value or a typed error: whatever traps, takes
// too long or takes too much memory ends the run.

/// Writes one seed for each kind of value.
@_cdecl("LLVMFuzzerInitialize")
public func initialize(_ count: UnsafeRawPointer, _ arguments: UnsafeRawPointer) -> CInt {
    FuzzSeeds.write(ValueFuzzer.seeds)
    return 0
}

/// Reads one input in every way there is.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    ValueFuzzer.readAsValue(input)
    for (name, read) in ValueSamples.readers where read(input) == false {
        fatalError("a \(name) that was read does not come back")
    }
    ValueFuzzer.decodeAsObject(input)
    ValueFuzzer.decodeAsJSON(input)
    return 0
}
