// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "reprise-benchmarks",
    targets: [
        // A C program that does nothing but tell systemd that it is ready.
        .executableTarget(
            name: "ReadyPeer", linkerSettings: [.linkedLibrary("systemd")]),
        .executableTarget(
            name: "StartBenchmark", swiftSettings: [.treatAllWarnings(as: .error)]),
    ],
    swiftLanguageModes: [.v6]
)
