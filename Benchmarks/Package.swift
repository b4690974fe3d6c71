// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "reprise-benchmarks",
    targets: [
        // A C program that does nothing but tell systemd that it is ready.
        .executableTarget(
            name: "ReadyPeer", linkerSettings: [.linkedLibrary("systemd")]),
        .executableTarget(name: "StartBenchmark"),

        // The engine, by a link to its sources: as a part of this package it gives the benchmark
        // its package access, and no other package has to know of the benchmark.
        .target(name: "StateRestoration"),
        .executableTarget(name: "EngineBenchmark", dependencies: ["StateRestoration"]),
    ],
    swiftLanguageModes: [.v6]
)

// The same as in the main package.
for target in package.targets {
    target.swiftSettings = [
        .treatAllWarnings(as: .error),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    ]
}
