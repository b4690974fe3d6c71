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
        write("reprisectl: \(escaped(text))\n", to: .standardError)
    }

    /// A sentence may name what somebody sent: nothing in it moves the cursor or turns the text
    /// around.
    private static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control where scalar != "\n", .format:
                result += scalar.escaped(asASCII: true)
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    private static func write(_ text: String, to descriptor: FileDescriptor) {
        do {
            try descriptor.writeAll(text.utf8)
        } catch {
            exit(1)  // Nobody is left to tell.
        }
    }
}
