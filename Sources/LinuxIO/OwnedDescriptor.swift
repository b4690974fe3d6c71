import SystemPackage

/// A file descriptor with one owner, closed when its owner goes away.
package struct OwnedDescriptor: ~Copyable, Sendable {
    private let descriptor: FileDescriptor

    /// Takes over an open descriptor; nobody else may close it.
    package init(_ rawValue: CInt) {
        descriptor = FileDescriptor(rawValue: rawValue)
    }

    deinit {
        // Linux frees the number even when close(2) reports an error, so there is nothing to repeat;
        // what must be durable was synchronized, with its errors, before.
        do { try descriptor.close() } catch {}
    }

    /// The descriptor's number, valid while this value lives.
    package var rawValue: CInt { descriptor.rawValue }
}
