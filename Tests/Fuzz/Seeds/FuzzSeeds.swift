import FoundationEssentials

/// The inputs that a fuzz target begins with, beside its corpus.
package enum FuzzSeeds {
    /// Writes a file for each of them into the folder `$FUZZ_SEEDS`, if there is one; libFuzzer
    /// reads it afterwards.
    package static func write(_ seeds: [[UInt8]]) {
        guard let folder = ProcessInfo.processInfo.environment["FUZZ_SEEDS"] else { return }
        for (index, bytes) in seeds.enumerated() {
            do {
                try Data(bytes).write(to: URL(filePath: "\(folder)/seed-\(index)"))
            } catch {
                fatalError("cannot write a seed: \(error)")
            }
        }
    }
}
