// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "reprise-benchmarks",
    dependencies: [
        .package(url: "https://github.com/apple/swift-system", from: "1.8.0"),
        // A yardstick, which needs libsqlite3-dev.
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    ],
    targets: [
        // A C program that does nothing but tell systemd that it is ready.
        .executableTarget(
            name: "ReadyPeer", linkerSettings: [.linkedLibrary("systemd")]),
        .executableTarget(name: "StartBenchmark", dependencies: ["DaemonClient"]),
        // A running daemon, and connections to it.
        .target(name: "DaemonClient"),
        .executableTarget(name: "WatchBenchmark", dependencies: ["DaemonClient"]),
        .executableTarget(name: "ControlBenchmark", dependencies: ["DaemonClient"]),

        // The engine and its file, by links to their sources: as parts of this package they give the
        // benchmarks their package access, and no other package has to know of the benchmarks.
        .target(name: "StateRecords"),
        .target(name: "StateRestoration", dependencies: ["StateRecords"]),
        .executableTarget(name: "EngineBenchmark", dependencies: ["StateRecords", "StateRestoration"]),
        .systemLibrary(
            name: "CXXHash", pkgConfig: "libxxhash", providers: [.apt(["libxxhash-dev"])]),
        .systemLibrary(name: "CLinux"),
        .target(name: "CCrashStamp"),
        .target(
            name: "LinuxIO",
            dependencies: [
                "CLinux", "CCrashStamp",
                .product(name: "SystemPackage", package: "swift-system"),
            ]),
        .target(name: "SavedState", dependencies: ["CXXHash", "LinuxIO", "StateRecords"]),
        .executableTarget(
            name: "DiskBenchmark",
            dependencies: [
                "SavedState", "StateRecords", "StateRestoration",
                .product(name: "GRDB", package: "GRDB.swift"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)

// The same as in the main package.
for target in package.targets where target.type != .system {
    target.swiftSettings = [
        .treatAllWarnings(as: .error),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    ]
}
