import Glibc
import SystemPackage

/// What the command prints.
enum Terminal {
    /// Prints a text and a newline.
    static func print(_ text: String) {
        write(text + "\n", to: .standardOutput)
    }

    /// Tells a person something on the side, on stderr.
    static func complain(_ text: String) {
        write("reprisectl: \(text)\n", to: .standardError)
    }

    private static func write(_ text: String, to descriptor: FileDescriptor) {
        do {
            try descriptor.writeAll(text.utf8)
        } catch {
            exit(1)  // Nobody is left to tell.
        }
    }
}
