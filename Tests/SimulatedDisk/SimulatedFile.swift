package import LinuxIO

/// Open file of a ``SimulatedDisk``.
package struct SimulatedFile: FileProtocol {
    let disk: SimulatedDisk
    let node: Int
    package let path: String

    package var canOverwrite: Bool { true }

    /// Appends bytes. A failing write writes the part that the fault specifies.
    package func write(_ bytes: [UInt8]) throws(IOError) { try write(bytes, atOrAppending: nil) }

    /// Writes bytes at an offset. A failing write writes the part that the fault specifies.
    package func write(_ bytes: [UInt8], at offset: Int) throws(IOError) {
        try write(bytes, atOrAppending: offset)
    }

    private func write(_ bytes: [UInt8], atOrAppending offset: Int?) throws(IOError) {
        try disk.perform(
            .write, path, byteCount: bytes.count,
            failing: { contents, fault in
                let written = bytes.count * fault.writtenPercent / 100
                contents.nodes[node].file.write(bytes.prefix(written), at: offset)
            }
        ) { contents in
            contents.nodes[node].file.write(bytes, at: offset)
            return .success(())
        }
    }

    /// Reads bytes from an offset.
    package func read(from offset: Int, upTo byteCount: Int) throws(IOError) -> [UInt8] {
        try disk.perform(.read, path) { contents in
            .success(
                Array(contents.nodes[node].file.content.dropFirst(offset).prefix(byteCount)))
        }
    }

    /// Returns the status of the file.
    package func status() throws(IOError) -> FileStatus {
        try disk.perform(.status, path) { .success($0.status(of: node)) }
    }

    /// Truncates the file, or extends it with zeros.
    package func truncate(to length: Int) throws(IOError) {
        try disk.perform(.truncate, path, byteCount: length) { contents in
            contents.nodes[node].file.truncate(to: length)
            return .success(())
        }
    }

    /// Makes the contents durable, but not the name.
    package func synchronize() throws(IOError) { try synchronize(.synchronize) }

    /// Makes the contents durable, but not the name.
    package func synchronizeData() throws(IOError) { try synchronize(.synchronizeData) }

    private func synchronize(_ kind: DiskOperation.Kind) throws(IOError) {
        try disk.performSync(
            kind, path, failing: { $0.nodes[node].file.failToSynchronize() }
        ) { contents in
            contents.nodes[node].file.synchronize()
        }
    }
}
