import FuzzSeeds

@testable import StateRestoration

// Entry points of libFuzzer. Any input must result in a value or a typed error. A trap, a timeout or excessive memory
// use ends the run.

/// Writes a seed for each kind of value.
@_cdecl("LLVMFuzzerInitialize")
public func initialize(_ count: UnsafeRawPointer, _ arguments: UnsafeRawPointer) -> CInt {
    FuzzSeeds.write(ValueFuzzer.seeds)
    return 0
}

/// Reads an input in every supported way.
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
