import FoundationEssentials

/// Inputs with which a fuzz target begins, in addition to its corpus.
package enum FuzzSeeds {
    /// Writes a file for each input into the directory `$FUZZ_SEEDS`, if the variable is set. libFuzzer reads the
    /// directory afterwards.
    package static func write(_ seeds: [[UInt8]]) {
        guard let directory = ProcessInfo.processInfo.environment["FUZZ_SEEDS"] else { return }
        for (index, bytes) in seeds.enumerated() {
            do {
                try Data(bytes).write(to: URL(filePath: "\(directory)/seed-\(index)"))
            } catch {
                fatalError("cannot write a seed: \(error)")
            }
        }
    }
}
