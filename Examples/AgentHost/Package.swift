// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "AgentHost",
    dependencies: [
        .package(name: "reprise", path: "../.."),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        .executableTarget(
            name: "AgentHost",
            dependencies: [
                .product(name: "Preservation", package: "reprise"),
                .product(name: "Reprise", package: "reprise"),
                .product(name: "StateRestoration", package: "reprise"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ])
    ]
)
