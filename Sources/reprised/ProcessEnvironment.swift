import FoundationEssentials
import Glibc

/// The arguments and the environment of this process.
enum ProcessEnvironment {
    /// The arguments behind the program's name, as bytes: they need not be UTF-8.
    static func arguments() -> [[UInt8]] {
        (1..<max(1, Int(CommandLine.argc))).compactMap { index in
            CommandLine.unsafeArgv[index].map { bytes(of: $0) }
        }
    }

    /// The environment's variables.
    static func current() -> [String: String] { ProcessInfo.processInfo.environment }

    private static func bytes(of text: UnsafePointer<CChar>) -> [UInt8] {
        (0..<strlen(text)).map { UInt8(bitPattern: text[$0]) }
    }
}
