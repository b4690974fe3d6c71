import FuzzSeeds

// The entries of libFuzzer. Any bytes have to give a state or a named error: whatever traps, takes
// too long or takes too much memory ends the run.

/// Writes archives of every shape as seeds.
@_cdecl("LLVMFuzzerInitialize")
public func initialize(_ count: UnsafeRawPointer, _ arguments: UnsafeRawPointer) -> CInt {
    FuzzSeeds.write(ArchiveSeeds.all)
    return 0
}

/// Changes an archive, mostly so that its checksums are right again.
@_cdecl("LLVMFuzzerCustomMutator")
public func mutate(
    _ data: UnsafeMutablePointer<UInt8>, _ count: Int, _ maximumBytes: Int, _ seed: CUnsignedInt
) -> Int {
    var mutator = ArchiveMutator(
        Array(UnsafeBufferPointer(start: data, count: count)), maximumBytes: maximumBytes,
        seed: seed)
    let mutated = mutator.mutated()
    _ = UnsafeMutableBufferPointer(start: data, count: mutated.count).update(
        fromContentsOf: mutated)
    return mutated.count
}

/// Loads one input as an application's archive, and goes on with what was loaded.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    ArchiveFuzzer.read(Array(UnsafeBufferPointer(start: start, count: count)))
    return 0
}
