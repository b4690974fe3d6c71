import FuzzSeeds

// Entry points of libFuzzer. Any input must result in a state or a typed error. A trap, a timeout or excessive memory
// use ends the run.

/// Writes archives of various shapes as seeds.
@_cdecl("LLVMFuzzerInitialize")
public func initialize(_ count: UnsafeRawPointer, _ arguments: UnsafeRawPointer) -> CInt {
    FuzzSeeds.write(ArchiveSeeds.all)
    return 0
}

/// Mutates an archive. The checksums of most results are valid.
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

/// Loads an input as an application's archive, and continues to use the archive.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    ArchiveFuzzer.read(Array(UnsafeBufferPointer(start: start, count: count)))
    return 0
}
